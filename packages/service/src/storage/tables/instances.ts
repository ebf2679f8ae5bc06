import type { upgradeSteps } from '@hortus/contract/actions/steps';
import type { backupMachine } from '@hortus/contract/machines/backup';
import type { executionMachine } from '@hortus/contract/machines/execution';
import type { instanceHealthMachine, instanceMachine } from '@hortus/contract/machines/instance';
import type { StateOf } from '@hortus/contract/machines/machine';
import type { upgradeMachine } from '@hortus/contract/machines/upgrade';
import type { Upgrade } from '@hortus/contract/resources/upgrades';
import type { ColumnType, Generated } from 'kysely';
import type { Flag, Json, Status, Time } from './columns.ts';

/** Instances, their executions, backups and upgrades. */
export interface InstanceTables {
  instances: {
    id: string;
    account_id: string;
    definition_id: string;
    server_id: string;
    container_id: string | null;
    container_name: string;
    status: Status<StateOf<typeof instanceMachine>>;
    health: ColumnType<StateOf<typeof instanceHealthMachine>, never, never>;
    revision: number | null;
    /** URL of the primary route, as resolved by the last successful deployment. */
    url: string | null;
    components: Json;
    /** Differences of its containers from the deployment, and since when. */
    drift: Json;
    drifted_at: Time | null;
    /** Number of repairs in a row, and the time of the last; limits repeated repairs. */
    heals: number;
    healed_at: Time | null;
    started_at: Time | null;
    /** Times of the last unordered restarts, and of the newest of them; for rules that look for restart loops. */
    starts: Generated<Json>;
    restarted_at: Time | null;
    last_reported_at: Time | null;
    created_at: Time;
    updated_at: Time;
  };
  executions: {
    id: string;
    account_id: string;
    /** Null for executions on a server. */
    instance_id: string | null;
    server_id: string;
    slug: string;
    name: string;
    /** Ordered through the API, or run by the daemon on the schedule of the template. */
    kind: 'ordered' | 'scheduled';
    status: Status<StateOf<typeof executionMachine>>;
    /**
     * Order for the daemon, from the manifest of the running revision; encrypted, because arguments may contain
     * secrets.
     */
    request: string;
    params: Json;
    exit_code: number | null;
    output: string | null;
    output_truncated: Flag;
    /** Bytes of the stored output; 0 if there is none. */
    output_bytes: Generated<number>;
    /** Whether an output was deleted. */
    output_dropped: Generated<Flag>;
    error: string | null;
    outcome: 'known' | 'unknown' | null;
    timeout_ms: number;
    /** When it times out; `resources/actions/deadlines.ts` updates it. */
    deadline_at: Time;
    /** Since when its server is offline: that time does not count. */
    paused_at: Time | null;
    /** The connection to which it was sent; null if it was not sent yet. */
    sent_epoch: number | null;
    /** Id of the journal of that daemon, if it has one. */
    sent_journal: string | null;
    cancel_requested_at: Time | null;
    created_by: string | null;
    created_at: Time;
    updated_at: Time;
    sent_at: Time | null;
    started_at: Time | null;
    finished_at: Time | null;
  };
  backups: {
    id: string;
    account_id: string;
    instance_id: string;
    definition_id: string;
    server_id: string;
    instance_uid: string;
    /** The execution that made it. */
    execution_id: string;
    kind: 'manual' | 'scheduled' | 'safety' | 'pre_deploy';
    status: Status<StateOf<typeof backupMachine>>;
    /** Its encryption key, sealed by the vault. */
    key: string;
    /** As written by the daemon beside the data. */
    manifest: Json | null;
    manifest_sha256: string | null;
    bytes: number;
    stored_bytes: number;
    address: string | null;
    error: string | null;
    verified_at: Time | null;
    proof: 'restored' | 'read' | null;
    verify_error: string | null;
    created_by: string | null;
    created_at: Time;
    updated_at: Time;
    finished_at: Time | null;
  };
  /** Backup schedule and retention of a definition. */
  backup_plans: {
    definition_id: string;
    account_id: string;
    keep_last: number | null;
    keep_days: number | null;
    /** A parsable schedule; null for never. */
    schedule: string | null;
    verify_schedule: string | null;
    due_at: Time | null;
    verify_due_at: Time | null;
  };
  upgrades: {
    id: string;
    account_id: string;
    instance_id: string;
    definition_id: string;
    server_id: string;
    species: string;
    /** Template of the revision that ran when it was found. */
    from_template_id: string;
    to_template_id: string;
    status: Status<StateOf<typeof upgradeMachine>>;
    acknowledged_at: Time | null;
    /** Progress of applying it; the following columns are null before that. */
    step: keyof typeof upgradeSteps | null;
    from_revision: number | null;
    revision: number | null;
    backup_id: string | null;
    backup_execution: string | null;
    deployment_id: string | null;
    return_id: string | null;
    /** The rehearsal that has to pass first, if requested. */
    rehearsal_id: Generated<string | null>;
    watch_until: Time | null;
    ignore_capacity: Flag;
    reason: Upgrade['reason'];
    error: string | null;
    applied_by: string | null;
    started_at: Time | null;
    finished_at: Time | null;
    /** Groups upgrades that are applied one after another. */
    batch: string | null;
    created_at: Time;
    updated_at: Time;
  };
}
