import type { backupMachine } from '@hortus/contract/machines/backup';
import type { definitionMachine } from '@hortus/contract/machines/definition';
import type { deploymentMachine } from '@hortus/contract/machines/deployment';
import type { executionMachine } from '@hortus/contract/machines/execution';
import type { instanceHealthMachine, instanceMachine } from '@hortus/contract/machines/instance';
import type { StateOf } from '@hortus/contract/machines/machine';
import type { migrationMachine } from '@hortus/contract/machines/migration';
import type { recipeMachine } from '@hortus/contract/machines/recipe';
import type { serverMachine } from '@hortus/contract/machines/server';
import type { templateMachine } from '@hortus/contract/machines/template';
import type { templateTestMachine } from '@hortus/contract/machines/template-test';
import type { tenantMachine } from '@hortus/contract/machines/tenant';
import type { transferMachine } from '@hortus/contract/machines/transfer';
import type { upgradeMachine } from '@hortus/contract/machines/upgrade';
import type { upgradeSteps } from '@hortus/contract/playbooks';
import type { Upgrade } from '@hortus/contract/resources/upgrades';
import type { ColumnType, Generated, Insertable, Selectable } from 'kysely';

/**
 * Portable columns only, the same on both engines: ids are text, times are milliseconds since 1970, JSON is text,
 * booleans are 0 and 1.
 */
type Json = string;
type Time = number;
type Flag = 0 | 1;

/** A status can be read but not written: `transition` is the only way to change one, and the compiler says so. */
type Status<State> = ColumnType<State, never, never>;

export interface Tables {
  settings: { name: string; value: string };

  accounts: { id: string; name: string; plan: 'free' | 'pro' | 'enterprise'; created_at: Time };
  users: {
    id: string;
    account_id: string;
    email: string;
    password_hash: string;
    role: 'owner' | 'member';
    admin: Flag;
    created_at: Time;
    updated_at: Time;
  };
  /** A way into an account for somebody who has none of its users yet. */
  invites: {
    id: string;
    account_id: string;
    email: string;
    role: 'owner' | 'member';
    hash: string;
    created_by: string | null;
    created_at: Time;
    expires_at: Time;
    /** When it was accepted or taken back; null while it can be accepted. */
    ended_at: Time | null;
    outcome: 'accepted' | 'revoked' | null;
  };
  /** One at most for each user: a new one takes the place of the last. */
  password_resets: { user_id: string; hash: string; created_by: string | null; created_at: Time; expires_at: Time };
  sessions: {
    id: string;
    hash: string;
    user_id: string;
    account_id: string;
    created_at: Time;
    expires_at: Time;
  };
  api_keys: {
    id: string;
    account_id: string;
    hash: string;
    prefix: string;
    name: string;
    permissions: Json;
    allowed_cidrs: Json;
    expires_at: Time | null;
    last_used_at: Time | null;
    created_by: string | null;
    created_at: Time;
    revoked_at: Time | null;
  };
  rate_windows: { subject: string; window_start: Time; count: number };
  idempotency: {
    account_id: string;
    method: string;
    path: string;
    key: string;
    body_hmac: string;
    status: number;
    response: string;
    created_at: Time;
  };

  data_keys: { account_id: string; wrapped: string; master: string; created_at: Time; updated_at: Time };

  events: {
    /** Given at insert: within one resource it follows the order of the changes, because those hold the row's lock. */
    position: Generated<number>;
    /** Without gaps or latecomers: the cursor that readers follow. The dispatcher gives it, or on SQLite the insert. */
    seq: Generated<number | null>;
    id: string;
    account_id: string;
    type: string;
    resource_type: string;
    resource_id: string;
    actor: string | null;
    data: Json;
    created_at: Time;
  };
  jobs: {
    id: string;
    kind: string;
    /** At most one unfinished job of a kind has a given key. */
    key: string | null;
    payload: Json;
    /** When it may be claimed: its time or, while somebody works on it, the end of his lease. */
    run_at: Time;
    /** Claims so far, the running one included. */
    attempts: number;
    lease_owner: string | null;
    /** Asked for once more while it was running: it is not over when the present run is. */
    again_at: Time | null;
    last_error: string | null;
    dead: Flag;
    created_at: Time;
  };

  templates: {
    id: string;
    /** 'catalog', or the account whose private template it is. */
    owner: string;
    species: string;
    version: string;
    name: string;
    description: string;
    archetype: string;
    kingdom: string;
    family: string;
    app_version: string;
    spec: Json;
    spec_hash: string;
    status: Status<StateOf<typeof templateMachine>>;
    deprecated: Flag;
    featured: Flag;
    /** Of one that was a recipe: whose it was, and the name they had then. */
    author_account: string | null;
    author: string | null;
    /** The text it came as, where an account wrote it: findings count its lines. */
    source: string | null;
    /** The spec_hash that the validator found no error in. */
    validated_hash: string | null;
    created_at: Time;
    updated_at: Time;
  };
  /** A template tried on a server, and what was planted for it. */
  template_tests: {
    id: string;
    account_id: string;
    template_id: string;
    spec_hash: string;
    server_id: string;
    definition_id: string;
    deployment_id: string;
    /** The executions that make its smoke test and clear it away, once they are ordered. */
    smoke_id: string | null;
    release_id: string | null;
    status: Status<StateOf<typeof templateTestMachine>>;
    reason: 'deployment' | 'smoke' | 'timeout' | 'server_removed' | null;
    error: string | null;
    output: string | null;
    deadline_at: Time;
    /** When nothing of it was left on the server. */
    cleared_at: Time | null;
    created_by: string | null;
    created_at: Time;
    updated_at: Time;
    finished_at: Time | null;
  };

  servers: {
    id: string;
    account_id: string;
    name: string;
    environment: string;
    description: string | null;
    /** Templates are tried here before they are published. */
    deploy_tests: Flag;
    status: Status<StateOf<typeof serverMachine>>;
    key_hash: string;
    /** A rotated key that its daemon has not used yet: until then the old one stays valid. */
    next_key_hash: string | null;
    /** That key, encrypted, for as long as it has to be handed to the daemon over its connection. */
    next_key_sealed: string | null;
    registered_by: string | null;
    /** Grows with every connection of a daemon: only the newest may be sent work. */
    connection_epoch: number;
    /** The replica that holds the daemon's connection. */
    connected_replica: string | null;
    /** When a second daemon with the same key was last seen to push the first one out. */
    duplicate_at: Time | null;
    capabilities: Json;
    daemon_version: string | null;
    /** The name of its journal; null for a daemon that keeps none. */
    daemon_journal: string | null;
    /** What the daemon said of its machine. */
    daemon_platform: Json;
    /** What the server is made of, as the daemon last found it. */
    fingerprint: Json | null;
    /** The last poll since there has been no connection: a daemon may do without one. */
    polled_at: Time | null;
    last_seen_at: Time | null;
    /** A removed server keeps its row, because archived definitions and events still name it. */
    deleted_at: Time | null;
    created_at: Time;
    updated_at: Time;
  };

  /** The processes that share this database. One that has not been seen for a while holds no connections. */
  replicas: { id: string; seen_at: Time };

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

  recipes: {
    id: string;
    account_id: string;
    slug: string;
    name: string;
    description: string;
    author: string;
    /** The YAML text, or the object as JSON: `spec_form` tells which. */
    spec: string;
    spec_form: 'text' | 'object';
    findings: Json;
    valid: Flag;
    status: Status<StateOf<typeof recipeMachine>>;
    /** As many as there are rows in `recipe_upvotes`, kept here because lists are sorted by it. */
    upvotes: number;
    reason: string | null;
    template_id: string | null;
    reviewed_at: Time | null;
    created_at: Time;
    updated_at: Time;
  };
  recipe_upvotes: { recipe_id: string; voter: string; created_at: Time };

  saved_configs: {
    id: string;
    account_id: string;
    name: string;
    species: string;
    profile: string | null;
    variant: string | null;
    inputs: Json;
    created_by: string | null;
    created_at: Time;
    updated_at: Time;
  };
  saved_config_secrets: { config_id: string; name: string; ciphertext: string };

  definitions: {
    id: string;
    account_id: string;
    name: string;
    instance_uid: string;
    template_id: string;
    server_id: string;
    tenant_id: string | null;
    status: Status<StateOf<typeof definitionMachine>>;
    current_revision: number;
    last_revision: number;
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
  /** The content of one volume on its way. */
  transfers: {
    id: string;
    account_id: string;
    migration_id: string;
    definition_id: string;
    instance_uid: string;
    storage: string;
    volume: string;
    mode: 'stage' | 'import';
    from_server_id: string;
    to_server_id: string;
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
  /** What one asker has had of the assistant in a month, written `2026-01`. */
  assistant_usage: {
    account_id: string;
    asker: string;
    month: string;
    questions: number;
    prompt_tokens: number;
    answer_tokens: number;
    updated_at: Time;
  };
  server_capacity: {
    server_id: string;
    memory_used: number;
    memory_free: number;
    cpu_cores: number;
    cpu_used_percent: number;
    disk_used: number;
    disk_free: number;
    reported_at: Time;
  };
  /**
   * What servers and instances used, for charts. Each report is added to a point of one minute, which goes after two hours,
   * and to one of five: `step` tells which, in seconds. Sums and `samples` give averages; the largest is kept beside.
   */
  capacity_points: {
    server_id: string;
    step: number;
    at: Time;
    samples: number;
    cpu_sum: number;
    cpu_max: number;
    memory_used_sum: number;
    memory_used_max: number;
    memory_free_sum: number;
    disk_used_sum: number;
    disk_free_sum: number;
  };
  usage_points: {
    instance_id: string;
    component: string;
    step: number;
    at: Time;
    samples: number;
    cpu_sum: number;
    cpu_max: number;
    memory_sum: number;
    memory_max: number;
    received_sum: number;
    sent_sum: number;
  };

  registries: {
    id: string;
    account_id: string;
    host: string;
    username: string;
    /** Encrypted. */
    password: string;
    created_by: string | null;
    created_at: Time;
    updated_at: Time;
  };

  webhook_endpoints: {
    id: string;
    account_id: string;
    url: string;
    events: Json;
    secret: string;
    /** The one before, which signs too until its time is over. */
    old_secret: string | null;
    old_secret_until: Time | null;
    status: 'active' | 'paused';
    /** Since when no attempt has gone well; null when the last one did. */
    failing_since: Time | null;
    paused_because: 'user' | 'dead' | null;
    created_at: Time;
    updated_at: Time;
  };
  deliveries: {
    id: string;
    account_id: string;
    endpoint_id: string;
    event_id: string;
    event_type: string;
    seq: number;
    status: 'pending' | 'delivered' | 'dead';
    attempts: number;
    response_code: number | null;
    error: string | null;
    duration_ms: number | null;
    next_attempt_at: Time | null;
    delivered_at: Time | null;
    created_at: Time;
  };
}

export type Row<Table extends keyof Tables> = Selectable<Tables[Table]>;
export type NewRow<Table extends keyof Tables> = Insertable<Tables[Table]>;
