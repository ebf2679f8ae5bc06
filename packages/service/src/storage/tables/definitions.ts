import type { definitionMachine } from '@hortus/contract/machines/definition';
import type { deploymentMachine } from '@hortus/contract/machines/deployment';
import type { StateOf } from '@hortus/contract/machines/machine';
import type { Generated } from 'kysely';
import type { Flag, Json, Status, Time } from './columns.ts';

/** What is wanted, and every time it was carried out. */
export interface DefinitionTables {
  definitions: {
    id: string;
    account_id: string;
    name: string;
    /** The name that people use; unique among the definitions of the account that are not archived. */
    instance_uid: string;
    template_id: string;
    server_id: string;
    tenant_id: string | null;
    status: Status<StateOf<typeof definitionMachine>>;
    current_revision: number;
    last_revision: number;
    /**
     * The name of its containers, networks and volumes on a server. Unique within the account for ever, so that a definition
     * that takes the uid of an archived one never meets what that one left behind.
     */
    container_name: string;
    /** How long a deployment is on trial; 0 for not at all. */
    watch_seconds: number;
    /** When it is backed up by itself and what is kept; null for the standard. */
    backup: Json | null;
    /** The deploy test that it was made for. */
    test_id: string | null;
    /** Whether an instance that has drifted is brought back without being asked. */
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
    /** Names of the secrets whose values were set or generated anew with it. */
    changed_secrets: Generated<Json>;
    created_by: string | null;
    created_at: Time;
  };
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
    /** What ran or, of a rollback that has not ended, what shall: component, image and digest of each. */
    images: Json;
    /** What was backed up before it or, of one that goes back with its data, what is put back. */
    backup_id: string | null;
    /** What has to be done before a daemon may take it, by which execution, and since when that is done. */
    preparation: 'backup' | 'restore' | null;
    preparation_execution: string | null;
    prepared_at: Time | null;
    cancel_requested_at: Time | null;
    /** The last sign of progress: what the deadline counts from. */
    progress_at: Time | null;
    log_lines: number;
    /** Of the lines that are kept. */
    log_bytes: Generated<number>;
    /** Whether lines were dropped since, because the account had too many. */
    log_dropped: Generated<Flag>;
    /** The token of the daemon that has taken it; null where that daemon knows the published fields only. */
    claimed_by: string | null;
    /** Who numbers the lines of the log, and how many of his have come: what he tells again is dropped. */
    log_source: string | null;
    log_told: number;
    created_by: string | null;
    created_at: Time;
    updated_at: Time;
    started_at: Time | null;
    finished_at: Time | null;
  };
  /** The ways into a server. Whether a definition still needs its claim is seen when another wants it. */
  route_claims: {
    server_id: string;
    host: string;
    path: string;
    definition_id: string;
    /** Those of its revisions that have this route. */
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
