import type { evacuationMachine, evacuationMoveMachine } from '@hortus/contract/machines/evacuation';
import type { StateOf } from '@hortus/contract/machines/machine';
import type { Json, Status, Time } from './columns.ts';

/** Servers that are emptied, and what is moved away. */
export interface EvacuationTables {
  evacuations: {
    id: string;
    account_id: string;
    server_id: string;
    status: Status<StateOf<typeof evacuationMachine>>;
    at_once: number;
    /** What the targets must have. */
    placement: Json | null;
    created_by: string | null;
    created_at: Time;
    updated_at: Time;
    finished_at: Time | null;
  };
  evacuation_moves: {
    id: string;
    evacuation_id: string;
    account_id: string;
    /** Position in the plan, from 1. */
    number: number;
    /** Null for a tenant. */
    definition_id: string | null;
    tenant_id: string | null;
    name: string;
    status: Status<StateOf<typeof evacuationMoveMachine>>;
    to_server_id: string | null;
    reason: string | null;
    migration_id: string | null;
    error: string | null;
    downtime_ms: number | null;
    created_at: Time;
    updated_at: Time;
    finished_at: Time | null;
  };
}
