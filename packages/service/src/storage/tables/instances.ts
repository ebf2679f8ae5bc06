import type { backupMachine } from '@hortus/contract/machines/backup';
import type { executionMachine } from '@hortus/contract/machines/execution';
import type { instanceHealthMachine, instanceMachine } from '@hortus/contract/machines/instance';
import type { StateOf } from '@hortus/contract/machines/machine';
import type { upgradeMachine } from '@hortus/contract/machines/upgrade';
import type { Upgrade } from '@hortus/contract/resources/upgrades';
import type { upgradeSteps } from '@hortus/contract/steps';
import type { ColumnType, Generated } from 'kysely';
import type { Flag, Json, Status, Time } from './columns.ts';

/** What runs, and what is done with it. */
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
    /** Of the primary route, as the last successful deployment resolved it. */
    url: string | null;
    components: Json;
    /** Where its containers differ from what was deployed, and since when they do. */
    drift: Json;
    drifted_at: Time | null;
    /** How often it was healed in a row, and when last: fights are not fought for ever. */
    heals: number;
    healed_at: Time | null;
    started_at: Time | null;
    last_reported_at: Time | null;
    created_at: Time;
    updated_at: Time;
  };
  executions: {
    id: string;
    account_id: string;
    /** Null of what is done to a server. */
    instance_id: string | null;
    server_id: string;
    slug: string;
    name: string;
    /** Ordered through us, or run by the daemon alone on the schedule of the template. */
    kind: 'ordered' | 'scheduled';
    status: Status<StateOf<typeof executionMachine>>;
    /** What the daemon is asked to do, by the manifest of the revision that runs; encrypted, since arguments may hold secrets. */
    request: string;
    params: Json;
    exit_code: number | null;
    output: string | null;
    output_truncated: Flag;
    /** Of the output that is kept; 0 where there is none. */
    output_bytes: Generated<number>;
    /** Whether there was an output that was dropped since. */
    output_dropped: Generated<Flag>;
    error: string | null;
    outcome: 'known' | 'unknown' | null;
    timeout_ms: number;
    /** When it is given up unless something happens; what moves it is in `resources/actions/deadlines.ts`. */
    deadline_at: Time;
    /** Since when its server is away: that time does not count. */
    paused_at: Time | null;
    /** The connection that it was handed to; null while it was handed to none. */
    sent_epoch: number | null;
    /** The name of the journal of the daemon behind that connection, if it has one. */
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
    /** What made it. */
    execution_id: string;
    kind: 'manual' | 'scheduled' | 'safety' | 'pre_deploy';
    status: Status<StateOf<typeof backupMachine>>;
    /** What opens it, sealed by the vault. */
    key: string;
    /** As the daemon wrote it beside the data. */
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
  /** When a definition is backed up by itself, and what is kept of it. */
  backup_plans: {
    definition_id: string;
    account_id: string;
    keep_last: number | null;
    keep_days: number | null;
    /** Something that times can be had from; null for never. */
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
    /** Of the revision that ran when it was found. */
    from_template_id: string;
    to_template_id: string;
    status: Status<StateOf<typeof upgradeMachine>>;
    acknowledged_at: Time | null;
    /** How far applying it has come; what follows is null until somebody begins. */
    step: keyof typeof upgradeSteps | null;
    from_revision: number | null;
    revision: number | null;
    backup_id: string | null;
    backup_execution: string | null;
    deployment_id: string | null;
    return_id: string | null;
    watch_until: Time | null;
    ignore_capacity: Flag;
    reason: Upgrade['reason'];
    error: string | null;
    applied_by: string | null;
    started_at: Time | null;
    finished_at: Time | null;
    /** Of several that are applied one after another, which belong together. */
    batch: string | null;
    created_at: Time;
    updated_at: Time;
  };
}
