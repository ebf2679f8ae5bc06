import type { importMachine } from '@hortus/contract/machines/import';
import type { StateOf } from '@hortus/contract/machines/machine';
import type { migrationMachine } from '@hortus/contract/machines/migration';
import type { tenantMachine } from '@hortus/contract/machines/tenant';
import type { transferMachine } from '@hortus/contract/machines/transfer';
import type { Transfer } from '@hortus/contract/resources/transfers';
import type { Flag, Json, Status, Time } from './columns.ts';

/** Tenants, migrations, imports and transfers. */
export interface MoveTables {
  tenants: {
    id: string;
    account_id: string;
    name: string;
    slug: string;
    server_id: string;
    status: Status<StateOf<typeof tenantMachine>>;
    suspended_at: Time | null;
    created_at: Time;
    updated_at: Time;
  };
  /** Instances that ran when their tenant was suspended; they are started when it is resumed. */
  suspended_instances: { tenant_id: string; instance_id: string };
  /** Migration of a tenant or a definition to another server. */
  migrations: {
    id: string;
    account_id: string;
    tenant_id: string | null;
    from_server_id: string;
    to_server_id: string;
    status: Status<StateOf<typeof migrationMachine>>;
    reason: string | null;
    error: string | null;
    /** When the stop was ordered. */
    stopped_at: Time | null;
    downtime_ms: number | null;
    /** Last progress, from which the timeout counts. */
    progress_at: Time;
    switched_at: Time | null;
    release_at: Time | null;
    created_by: string | null;
    created_at: Time;
    updated_at: Time;
    finished_at: Time | null;
  };
  /** Definitions of a migration. */
  migration_parts: {
    migration_id: string;
    definition_id: string;
    /** Null if it was never deployed. */
    instance_id: string | null;
    revision: number | null;
    /** The deployment on the target. */
    deployment_id: string | null;
    /** Report of that deployment about its containers. */
    arrival: Json | null;
    /** Execution that removes it: from the target after a failure, from the source after the move. */
    clear_id: string | null;
    /** Until it has switched or was rolled back; a definition is part of at most one open migration. */
    open: Flag;
  };
  migration_log: { migration_id: string; number: number; at: Time; step: string; message: string };
  /** Import of a definition from another installation. */
  imports: {
    id: string;
    account_id: string;
    server_id: string;
    /** Id of the future definition, which its volumes already use. */
    definition_id: string;
    name: string;
    instance_uid: string;
    /** Name on the server for its volumes; null for imports from before it was chosen in advance. */
    container_name: string | null;
    species: string;
    template_id: string;
    /** Whether the import created the template, and removes it on failure if it is unused. */
    brought_template: Flag;
    status: Status<StateOf<typeof importMachine>>;
    /** The whole bundle, encrypted, because it contains secrets; empty when the import has ended. */
    bundle: string;
    /** Volumes to fill: `ImportVolume[]`. */
    volumes: Json;
    ignore_capacity: Flag;
    reason: string | null;
    error: string | null;
    deployment_id: string | null;
    /** Last progress, from which the timeout counts. */
    progress_at: Time;
    created_by: string | null;
    created_at: Time;
    updated_at: Time;
    finished_at: Time | null;
  };
  /** Transfer of the content of one volume. */
  transfers: {
    id: string;
    account_id: string;
    /** Its migration or import; both are null for a download from a backup. */
    migration_id: string | null;
    import_id: string | null;
    backup_id: string | null;
    /** For an import, the definition exists only after completion. */
    definition_id: string;
    instance_uid: string;
    storage: string;
    volume: string;
    mode: Transfer['mode'];
    /** Null if the caller is that end. */
    from_server_id: string | null;
    to_server_id: string | null;
    status: Status<StateOf<typeof transferMachine>>;
    chunks: number;
    bytes: number;
    carried_bytes: number;
    sha256: string | null;
    error: string | null;
    /** Address of the replica where its ends meet. */
    meeting_url: string | null;
    created_at: Time;
    updated_at: Time;
    started_at: Time | null;
    finished_at: Time | null;
  };
}
