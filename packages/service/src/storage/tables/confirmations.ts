import type { confirmationMachine } from '@hortus/contract/machines/confirmation';
import type { StateOf } from '@hortus/contract/machines/machine';
import type { Confirmable } from '@hortus/contract/resources/confirmations';
import type { Json, Status, Time } from './columns.ts';

export interface ConfirmationTables {
  /** Calls of programs that wait for the confirmation of a person. */
  confirmations: {
    id: string;
    account_id: string;
    endpoint: Confirmable;
    /** `{ params, query, body }` of the call. Never contains a secret. */
    call: Json;
    title: string;
    reason: string | null;
    subject: string;
    status: Status<StateOf<typeof confirmationMachine>>;
    error: string | null;
    result_id: string | null;
    requested_by: string;
    requested_by_name: string | null;
    decided_by: string | null;
    expires_at: Time;
    created_at: Time;
    updated_at: Time;
  };
}
