// Which part of the service owns which table, as data, and the function that holds queries against it.
import type { Tables } from '@hortus/service/storage/tables';

/** Folders below packages/service/src. Other folders ask the owner through its public exports. */
export const tableOwners: Readonly<Record<keyof Tables, readonly string[]>> = {
  // Small named values of several parts.
  settings: ['identity', 'outbox', 'resources/manifest', 'vault'],
  schema_needs: ['storage'],
  // Identity authenticates callers; the caller, the account or an admin manages the records.
  accounts: ['identity', 'resources/sign-in', 'resources/installation'],
  users: ['identity', 'resources/sign-in', 'resources/members'],
  sessions: ['identity'],
  user_networks: ['resources/sign-in'],
  api_keys: ['identity', 'resources/keys'],
  rate_windows: ['http/rate-windows'],
  idempotency: ['http/idempotency'],
  tombstones: ['http/tombstones'],
  data_keys: ['vault'],
  events: ['outbox', 'resources/events'],
  jobs: ['jobs'],
  // The catalog's, and an account's own on their way to being published.
  templates: ['resources/templates', 'resources/drafts'],
  template_tests: ['resources/drafts'],
  servers: ['resources/servers', 'identity'],
  server_members: ['resources/clusters', 'identity'],
  server_nodes: ['resources/clusters'],
  replicas: ['resources/servers'],
  daemon_updates: ['resources/daemon-updates'],
  daemon_update_targets: ['resources/daemon-updates'],
  server_capacity: ['resources/capacity'],
  capacity_points: ['resources/capacity'],
  usage_points: ['resources/metrics'],
  registries: ['resources/registries'],
  definitions: ['resources/definitions'],
  revisions: ['resources/definitions'],
  revision_bindings: ['resources/definitions'],
  definition_secrets: ['resources/definitions'],
  deployments: ['resources/deployments'],
  deployment_logs: ['resources/deployments'],
  route_claims: ['resources/deployments'],
  instances: ['resources/instances'],
  executions: ['resources/actions'],
  confirmations: ['resources/confirmations'],
  shells: ['resources/shells'],
  shell_recordings: ['resources/shells'],
  stored_recordings: ['resources/shells'],
  webhook_endpoints: ['resources/webhooks'],
  deliveries: ['resources/webhooks'],
  notification_channels: ['resources/notifications'],
  notification_rules: ['resources/notifications'],
  notification_accounts: ['resources/notifications'],
  notification_queue: ['resources/notifications'],
  alerts: ['resources/notifications'],
  notifications: ['resources/notifications'],
  certificates: ['resources/notifications'],
  mail_windows: ['mail'],
  tenants: ['resources/tenants'],
  suspended_instances: ['resources/tenants'],
  recipes: ['resources/recipes'],
  recipe_upvotes: ['resources/recipes'],
  saved_configs: ['resources/saved-configs'],
  saved_config_secrets: ['resources/saved-configs'],
  connections: ['resources/connections'],
  connection_attributes: ['resources/connections'],
  backups: ['resources/backups'],
  backup_plans: ['resources/backups'],
  upgrades: ['resources/upgrades'],
  rehearsals: ['resources/rehearsals'],
  migrations: ['resources/migrations'],
  migration_parts: ['resources/migrations'],
  migration_log: ['resources/migrations'],
  evacuations: ['resources/evacuations'],
  evacuation_moves: ['resources/evacuations'],
  transfers: ['resources/transfers'],
  imports: ['resources/imports'],
  gardens: ['resources/gardens'],
  garden_items: ['resources/gardens'],
  garden_runs: ['resources/gardens'],
  garden_changes: ['resources/gardens'],
  garden_sources: ['resources/gardens'],
  garden_commits: ['resources/gardens'],
  garden_commit_contents: ['resources/gardens'],
  assistant_usage: ['resources/copilot'],
  stored_output: ['quotas'],
  invites: ['resources/members'],
  // Identity stores the link of the first start.
  password_resets: ['identity', 'resources/members'],
};

/** What one statement reads together with rows of its own, because two would read more or page wrongly. Never written. */
export const mayJoin: Readonly<Record<string, readonly (keyof Tables)[]>> = {
  // Its list is that of the servers, also of those that have said nothing yet.
  'resources/capacity': ['servers'],
  // An instance is listed, and found by a report, under the name of its definition.
  'resources/instances': ['definitions', 'revisions'],
  // An account is listed with the number of its people.
  'resources/installation': ['users'],
  // An upgrade is of what runs, under its name, for as long as it runs.
  'resources/upgrades': ['instances', 'revisions', 'definitions'],
  // A rehearsal is listed under the name of what was copied.
  'resources/rehearsals': ['definitions'],
  // What an account has is counted, under a lock on the account.
  quotas: ['accounts', 'servers', 'definitions', 'api_keys', 'webhook_endpoints', 'templates', 'connections'],
  // A page of the events of a tenant is found by the resources that belong to the tenant.
  'resources/events': ['tenants', 'definitions', 'instances', 'deployments', 'backups', 'executions', 'migrations'],
  // Accounts without rules get the first ones; a certificate counts for as long as its instance.
  'resources/notifications': ['accounts', 'instances'],
  // A late backup is that of a running instance, under its name.
  'resources/backups': ['instances', 'definitions'],
  // A delivery is sent with its event.
  'resources/webhooks': ['events'],
};

const service = 'packages/service/src/';
const naming =
  /\b(selectFrom|innerJoin|leftJoin|rightJoin|fullJoin|crossJoin|insertInto|updateTable|deleteFrom)\s*\(\s*(['"])(\w+)/g;
const writing = ['insertInto', 'updateTable', 'deleteFrom'];

export interface ForeignTable {
  /** Where in the text it is named. */
  readonly index: number;
  readonly message: string;
}

/** The tables that a file of the service names without owning them. */
export function findForeignTables(path: string, text: string): ForeignTable[] {
  if (!path.startsWith(service)) return [];
  const folder = (names: readonly string[]) => names.find((name) => path.startsWith(`${service}${name}/`));
  const joined = mayJoin[folder(Object.keys(mayJoin)) ?? ''] ?? [];
  return [...text.matchAll(naming)].flatMap(({ index, 1: call = '', 3: table = '' }) => {
    if (!isTable(table)) return [];
    const owners = tableOwners[table];
    if (folder(owners) || (joined.includes(table) && !writing.includes(call))) return [];
    const verb = writing.includes(call) ? 'written' : 'read';
    return [{ index, message: `${table} is ${verb} by ${owners.join(' and ')}, not here; ask what it exports` }];
  });
}

const isTable = (name: string): name is keyof Tables => Object.hasOwn(tableOwners, name);
