import type { gardenCommitMachine } from '@hortus/contract/machines/garden-commit';
import type { gardenRunMachine } from '@hortus/contract/machines/garden-run';
import type { StateOf } from '@hortus/contract/machines/machine';
import type { GardenItemKind, GardenRunChange } from '@hortus/contract/resources/garden-records';
import type { Forge, GardenMode } from '@hortus/contract/resources/garden-source-records';
import type { Flag, Json, Status, Time } from './columns.ts';

/** Gardens and their runs. */
export interface GardenTables {
  gardens: { id: string; account_id: string; name: string; created_at: Time; updated_at: Time };
  /** Records that a garden describes. */
  garden_items: {
    garden_id: string;
    account_id: string;
    kind: GardenItemKind;
    key: string;
    resource_id: string;
    /** Whether the garden created it; only then may it be pruned. */
    made: Flag;
  };
  garden_runs: {
    id: string;
    account_id: string;
    garden_id: string;
    status: Status<StateOf<typeof gardenRunMachine>>;
    prune: Flag;
    plan_hash: string;
    /** Keyed hash of the files and values, to recognize the same request while its run is applying. */
    files_hash: string;
    counts: Json;
    /** The requests of all changes, encrypted, because they contain secrets; empty when the run has ended. */
    orders: string;
    cancelled: Flag;
    reason: string | null;
    error: string | null;
    created_by: string | null;
    created_at: Time;
    updated_at: Time;
    finished_at: Time | null;
  };
  garden_changes: {
    run_id: string;
    /** Position in the plan. */
    place: number;
    kind: GardenItemKind;
    key: string;
    action: GardenRunChange['action'];
    fields: Json;
    needs: Json;
    state: GardenRunChange['state'];
    resource_id: string | null;
    deployment_id: string | null;
    /** The current revision before the change, which is restored if its deployment fails. */
    from_revision: number | null;
    error: string | null;
  };
  /** Repositories that gardens are followed in. */
  garden_sources: {
    garden_id: string;
    account_id: string;
    url: string;
    branch: string;
    path: string;
    mode: GardenMode;
    prune: Flag;
    interval_seconds: number;
    provider: Forge | null;
    username: string | null;
    /** Encrypted token; null without credentials. */
    token: string | null;
    /** Encrypted secret of push webhooks. */
    secret: string;
    /** Key or user whose rights commits are planned and applied with. */
    followed_by: string;
    /** Number of requests to read the repository now, and how many of them were served. */
    requests: number;
    served: number;
    /** The request that also asked to plan the newest commit again. */
    again_for: number;
    checked_at: Time | null;
    next_check_at: Time | null;
    /** Attempts that failed since the repository was last read. */
    failures: number;
    error: string | null;
    created_at: Time;
    updated_at: Time;
  };
  garden_commits: {
    id: string;
    account_id: string;
    garden_id: string;
    sha: string;
    subject: string;
    author: string;
    committed_at: Time | null;
    status: Status<StateOf<typeof gardenCommitMachine>>;
    reason: string | null;
    error: string | null;
    problems: Json;
    /** Whether it is applied with pruning. */
    prune: Flag;
    counts: Json | null;
    plan_hash: string | null;
    run_id: string | null;
    decided_by: string | null;
    /** The status that the forge was last told. */
    reported: string | null;
    /** Failed attempts to tell the forge the present status. */
    report_attempts: number;
    created_at: Time;
    updated_at: Time;
    finished_at: Time | null;
  };
  /** The large parts of commits, which lists do not read. */
  garden_commit_contents: {
    commit_id: string;
    /** Files of the garden, encrypted, because a commit may contain secrets by mistake; empty when they are not needed any more. */
    files: string;
    plan: Json | null;
  };
}
