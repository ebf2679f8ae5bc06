import type { gardenRunMachine } from '@hortus/contract/machines/garden-run';
import type { StateOf } from '@hortus/contract/machines/machine';
import type { GardenItemKind, GardenRunChange } from '@hortus/contract/resources/garden-records';
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
}
