import type { definitionMachine } from '@hortus/contract/machines/definition';
import type { deploymentMachine } from '@hortus/contract/machines/deployment';
import type { StateOf } from '@hortus/contract/machines/machine';
import type { Generated } from 'kysely';
import type { Flag, Json, Status, Time } from './columns.ts';

/** Definitions and their deployments. */
export interface DefinitionTables {
  definitions: {
    id: string;
    account_id: string;
    name: string;
    /** Name for people; unique among the definitions of the account that are not archived. */
    instance_uid: string;
    template_id: string;
    server_id: string;
    tenant_id: string | null;
    status: Status<StateOf<typeof definitionMachine>>;
    current_revision: number;
    last_revision: number;
    /**
     * Name of its containers, networks and volumes on a server. Unique within the account forever, so that a definition
     * that reuses the uid of an archived one never meets its leftovers.
     */
    container_name: string;
    /** Watch period after a deployment; 0 disables it. */
    watch_seconds: number;
    /** Backup settings; null for the defaults. */
    backup: Json | null;
    /** The deploy test or rehearsal for which it was created. */
    test_id: string | null;
    /** The definition that it is an isolated copy of. */
    copy_of: Generated<string | null>;
    /** Whether drift is repaired automatically. */
    heal: Flag;
    succeeded_at: Time | null;
    created_at: Time;
    updated_at: Time;
  };
  revisions: {
    definition_id: string;
    number: number;
    template_id: string;
    spec_hash: string;
    profile: string;
    variant: string | null;
    inputs: Json;
    secret_inputs: Json;
    /** Names of the secrets that got new values with it. */
    changed_secrets: Generated<Json>;
    /** What meets its needs; null if none is bound. */
    bindings: Generated<Json | null>;
    /** What it sets instead of its template, by component; null for nothing. */
    overrides: Generated<Json | null>;
    created_by: string | null;
    created_at: Time;
  };
  /** Connections and definitions that the needs of revisions are bound to, to find who uses them. */
  revision_bindings: { definition_id: string; number: number; need: string; target_id: string };
  definition_secrets: {
    definition_id: string;
    name: string;
    kind: 'generated' | 'input' | 'external';
    generator: string | null;
    /** Null until an external secret is set. */
    ciphertext: string | null;
    created_at: Time;
    updated_at: Time;
  };
  deployments: {
    id: string;
    account_id: string;
    definition_id: string;
    server_id: string;
    instance_id: string | null;
    status: Status<StateOf<typeof deploymentMachine>>;
    kind: 'deploy' | 'renew' | 'rollback' | 'heal' | 'test' | 'migrate';
    rollback_of: string | null;
    revision: number;
    template_id: string;
    spec_hash: string;
    reason: string | null;
    error: string | null;
    gap_ms: number | null;
    /** JSON array of lines of the container that made it fail. */
    last_lines: string | null;
    /** Component, image and digest of what ran; for a rollback in progress, of what will run. */
    images: Json;
    /** The backup made before it or, for a rollback with data, the backup to restore. */
    backup_id: string | null;
    /** Preparation before a daemon may claim it, its execution, and when it was done. */
    preparation: 'backup' | 'restore' | 'release' | null;
    preparation_execution: string | null;
    prepared_at: Time | null;
    cancel_requested_at: Time | null;
    /** Last progress, from which the deadline counts. */
    progress_at: Time | null;
    log_lines: number;
    /** Bytes of the stored lines. */
    log_bytes: Generated<number>;
    /** Whether lines were deleted because of the quota of the account. */
    log_dropped: Generated<Flag>;
    /** Token of the daemon that claimed it; null for a daemon that uses only the published fields. */
    claimed_by: string | null;
    /** When another member began to lead the cluster while it ran; null once a member continues it. */
    interrupted_at: Time | null;
    /** Who numbers the lines of the log, and how many were received; repeated lines are dropped. */
    log_source: string | null;
    log_told: number;
    /** W3C `traceparent` of its order, if that was traced. */
    trace_parent: string | null;
    created_by: string | null;
    created_at: Time;
    updated_at: Time;
    started_at: Time | null;
    finished_at: Time | null;
  };
  /** Routes of servers. Whether a definition still needs its claim is checked when another one wants the route. */
  route_claims: {
    server_id: string;
    host: string;
    path: string;
    definition_id: string;
    /** Its revisions that have this route. */
    revisions: Json;
  };
  deployment_logs: {
    deployment_id: string;
    number: number;
    at: Time;
    level: 'info' | 'warn' | 'error';
    step: string | null;
    message: string;
  };
}
