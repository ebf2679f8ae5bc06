/** Permissions of API keys. Each endpoint names exactly one of them in the contract table. */
export const permissions = {
  'templates:read': 'Read the catalog, the taxonomy and templates.',
  'templates:write': 'Create, change and publish templates of the account.',
  'recipes:read': 'Read approved recipes and the recipes of the account.',
  'recipes:write': 'Submit, edit, withdraw, delete and upvote recipes.',
  'configs:read': 'Read saved configs, without the values of secrets.',
  'configs:write': 'Create, change and delete saved configs.',
  'connections:read': 'Read saved connections, without the values of secrets, and bind definitions to them.',
  'connections:write': 'Create, change and delete saved connections.',
  'definitions:read': 'Read definitions and their revisions.',
  'definitions:write': 'Create, change, archive and reactivate definitions.',
  'secrets:read': 'List the names of secrets, without their values.',
  'secrets:write': 'Set and rotate secrets.',
  'registries:read': 'List image registries, without their passwords.',
  'registries:write': 'Set, change and delete passwords of image registries.',
  'servers:read': 'Read servers and their capacity.',
  'servers:write': 'Register, change and remove servers; update their daemons.',
  'servers:report': 'Report the capacity of servers, as daemons do.',
  'tenants:read': 'Read tenants.',
  'tenants:write': 'Create, suspend, resume and delete tenants.',
  'deployments:read': 'Read deployments and their logs.',
  'deployments:execute': 'Deploy definitions, roll back and cancel deployments.',
  'deployments:report': 'Report the progress of deployments, as daemons do.',
  'manifest:read': 'Read resolved specs, with secret values left out.',
  'instances:read': 'Read instances.',
  'instances:write': 'Start, stop, restart and release instances.',
  'instances:logs': 'Read what the containers of instances write.',
  'instances:shell':
    'Open a shell in the containers of instances, which gives access to their data and secrets. Members have it only if it was granted.',
  'instances:recordings': 'List shell sessions and replay their recordings. Members have it only if it was granted.',
  'instances:report': 'Report the state of containers, as daemons and the CLI do.',
  'actions:read': 'Read the actions of instances and their executions.',
  'actions:execute': 'Run and cancel actions.',
  'actions:dangerous': 'Run destructive actions.',
  'actions:report': 'Report the results of actions, as daemons do.',
  'backups:read': 'Read backups.',
  'backups:write': 'Create, verify and delete backups.',
  'backups:restore': 'Replace the data of instances by a backup.',
  'data:export':
    'Export definitions with the values of their secrets and the content of volumes; show generated secrets; rotate server keys.',
  'upgrades:read': 'Read available upgrades of instances.',
  'upgrades:write': 'Scan for upgrades, acknowledge and apply them.',
  'confirmations:request': 'Ask a person to confirm dangerous calls, and read the answers.',
  'assistant:ask': 'Ask the assistant and read its usage.',
  'gardens:read': 'Read gardens, their runs and commits, and compare a garden with what exists.',
  'gardens:write':
    'Apply, follow and forget gardens, and approve commits. Each change also needs the permission for that change, such as definitions:write.',
  'webhooks:read': 'Read webhook endpoints and their deliveries.',
  'webhooks:write': 'Create, change and remove webhook endpoints; repeat deliveries.',
  'notifications:read': 'Read alerts, their rules, notification channels without their secrets, and deliveries.',
  'notifications:write': 'Create, change, test and remove notification channels and rules; repeat deliveries.',
  'events:read': 'Read the audit list of events.',
  'account:read': 'Read the account, its users and its keys, without their values.',
  'account:write': 'Create and revoke API keys, change the account.',
  admin: 'All permissions, and administration of the installation.',
} as const;

export type Permission = keyof typeof permissions;

/** Permissions that members have only if an owner has granted them. */
export const grantablePermissions = [
  'instances:shell',
  'instances:recordings',
] as const satisfies readonly Permission[];

export const permissionNames = Object.keys(permissions) as Permission[];

export const allows = (granted: readonly string[], wanted: Permission): boolean =>
  granted.includes(wanted) || granted.includes('admin');
