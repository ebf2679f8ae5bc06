import type { importMachine } from '@hortus/contract/machines/import';
import type { StateOf } from '@hortus/contract/machines/machine';
import type { migrationMachine } from '@hortus/contract/machines/migration';
import type { tenantMachine } from '@hortus/contract/machines/tenant';
import type { transferMachine } from '@hortus/contract/machines/transfer';
import type { Transfer } from '@hortus/contract/resources/transfers';
import type { Flag, Json, Status, Time } from './columns.ts';

/** Who is moved from one server to another, and how far it has come. */
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
  /** Instances that ran when their tenant was suspended: those that are started when it is resumed. */
  suspended_instances: { tenant_id: string; instance_id: string };
  /** A tenant or a definition on its way to another server. */
  migrations: {
    id: string;
    account_id: string;
    tenant_id: string | null;
    from_server_id: string;
    to_server_id: string;
    status: Status<StateOf<typeof migrationMachine>>;
    reason: string | null;
    error: string | null;
    /** When the order to stop was given. */
    stopped_at: Time | null;
    downtime_ms: number | null;
    /** The last sign of progress: what patience counts from. */
    progress_at: Time;
    switched_at: Time | null;
    release_at: Time | null;
    created_by: string | null;
    created_at: Time;
    updated_at: Time;
    finished_at: Time | null;
  };
  /** What moves with it. */
  migration_parts: {
    migration_id: string;
    definition_id: string;
    /** Null for one that has never been deployed. */
    instance_id: string | null;
    revision: number | null;
    /** The one on the target. */
    deployment_id: string | null;
    /** What that told of its containers. */
    arrival: Json | null;
    /** What clears it away, from the target when it turned back and from the source when it has moved. */
    clear_id: string | null;
    /** Until it has switched or turned back; a definition is part of one such at most. */
    open: Flag;
  };
  migration_log: { migration_id: string; number: number; at: Time; step: string; message: string };
  /** A definition on its way in from another Hortus. */
  imports: {
    id: string;
    account_id: string;
    server_id: string;
    /** That it will have: what is brought for it carries it already. */
    definition_id: string;
    name: string;
    instance_uid: string;
    /** The name on the server that its volumes are made for; null for imports that began before it was chosen up front. */
    container_name: string | null;
    species: string;
    template_id: string;
    /** Whether that came with it, and so goes with it if nobody else has come to need it. */
    brought_template: Flag;
    status: Status<StateOf<typeof importMachine>>;
    /** All that it is made from, encrypted, since it has the values of secrets; empty when it is over. */
    bundle: string;
    /** What is to be filled: `ImportVolume[]`. */
    volumes: Json;
    ignore_capacity: Flag;
    reason: string | null;
    error: string | null;
    deployment_id: string | null;
    /** The last sign of progress: what patience counts from. */
    progress_at: Time;
    created_by: string | null;
    created_at: Time;
    updated_at: Time;
    finished_at: Time | null;
  };
  /** The content of one volume on its way. */
  transfers: {
    id: string;
    account_id: string;
    /** What it is a part of; one that a caller fetches from a backup is of neither. */
    migration_id: string | null;
    import_id: string | null;
    backup_id: string | null;
    /** Of an import it is there only when all is. */
    definition_id: string;
    instance_uid: string;
    storage: string;
    volume: string;
    mode: Transfer['mode'];
    /** Null where the caller is that end. */
    from_server_id: string | null;
    to_server_id: string | null;
    status: Status<StateOf<typeof transferMachine>>;
    chunks: number;
    bytes: number;
    carried_bytes: number;
    sha256: string | null;
    error: string | null;
    /** The replica where its ends meet, as the others reach it. */
    meeting_url: string | null;
    created_at: Time;
    updated_at: Time;
    started_at: Time | null;
    finished_at: Time | null;
  };
}
