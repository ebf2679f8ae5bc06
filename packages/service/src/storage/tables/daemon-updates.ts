import type { daemonUpdateMachine, updateTargetMachine } from '@hortus/contract/machines/daemon-update';
import type { StateOf } from '@hortus/contract/machines/machine';
import type { Flag, Json, Status, Time } from './columns.ts';

/** Updates of daemons, and the servers of each. */
export interface DaemonUpdateTables {
  daemon_updates: {
    id: string;
    account_id: string;
    version: string;
    /** The releases, by platform, as they were when the update was ordered: later stages get the same bytes. */
    releases: Json;
    status: Status<StateOf<typeof daemonUpdateMachine>>;
    error: string | null;
    /** Current stage, from 1. */
    stage: number;
    stage_begun_at: Time;
    /** Number of servers of each stage. */
    stages: Json;
    max_failed: number;
    allow_downgrade: Flag;
    offline_ms: number;
    left_out: Json;
    created_by: string | null;
    created_at: Time;
    updated_at: Time;
    finished_at: Time | null;
  };
  daemon_update_targets: {
    id: string;
    update_id: string;
    account_id: string;
    server_id: string;
    /** As it was when the update was ordered: the server may be renamed or removed. */
    server_name: string;
    environment: string;
    /** Such as linux/arm64. */
    platform: string;
    /** Position among the servers of the update, from 0. */
    place: number;
    stage: number;
    status: Status<StateOf<typeof updateTargetMachine>>;
    /** Whether a person has continued the update in spite of this failure. */
    accepted: Flag;
    from_version: string | null;
    reason: string | null;
    error: string | null;
    /** Connection on which the order was sent; it is sent once on each until the daemon reports. */
    sent_epoch: number | null;
    /** Last report of the daemon, accurate to a minute, or the order. */
    heard_at: Time;
    ordered_at: Time | null;
    created_at: Time;
    updated_at: Time;
    finished_at: Time | null;
  };
}
