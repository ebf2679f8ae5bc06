import type { StateOf } from '@hortus/contract/machines/machine';
import type { rehearsalMachine } from '@hortus/contract/machines/rehearsal';
import type { Rehearsal } from '@hortus/contract/resources/rehearsals';
import type { Flag, Json, Status, Time } from './columns.ts';

/** Changes that are tried on copies of instances. */
export interface RehearsalTables {
  rehearsals: {
    id: string;
    account_id: string;
    kind: Rehearsal['kind'];
    instance_id: string;
    definition_id: string;
    server_id: string;
    upgrade_id: string | null;
    from_template_id: string;
    to_template_id: string;
    copy_definition_id: string;
    copy_instance_id: string;
    /** Revision of the copy with the change; null for a clone without one. */
    change_revision: number | null;
    /** Null if there is no data to restore. */
    backup_id: string | null;
    /** The execution that makes the backup, if it is a fresh one. */
    backup_execution: string | null;
    restore_deployment_id: string | null;
    change_deployment_id: string | null;
    smoke_id: string | null;
    release_id: string | null;
    ignore_capacity: Flag;
    status: Status<StateOf<typeof rehearsalMachine>>;
    reason: Rehearsal['reason'];
    error: string | null;
    last_lines: Json;
    output: string | null;
    data_bytes: number;
    /** When the copy of a clone is to be removed; null for a rehearsal, whose copy is removed at its end. */
    keep_until: Time | null;
    deadline_at: Time;
    backed_up_at: Time | null;
    restored_at: Time | null;
    applied_at: Time | null;
    /** When everything of the copy was removed from the server. */
    cleared_at: Time | null;
    created_by: string | null;
    created_at: Time;
    updated_at: Time;
    finished_at: Time | null;
  };
}
