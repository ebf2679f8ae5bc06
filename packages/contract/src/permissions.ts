/** What an API key may be allowed to do. An endpoint names exactly one of these in the contract table. */
export const permissions = {
  'templates:read': 'Read the catalog, the taxonomy and templates.',
  'templates:write': 'Create, change and publish templates of the account.',
  'recipes:read': 'Read recipes: the approved ones, and those of the account.',
  'recipes:write': 'Submit, edit, withdraw, delete and upvote recipes.',
  'configs:read': 'Read saved configs, without the values of secrets.',
  'configs:write': 'Create, change and delete saved configs.',
  'definitions:read': 'Read definitions and their revisions.',
  'definitions:write': 'Create, change, archive and reactivate definitions.',
  'secrets:read': 'List the names of secrets; never their values.',
  'secrets:write': 'Set and rotate secrets.',
  'registries:read': 'List the registries of images; never their passwords.',
  'registries:write': 'Keep, change and forget passwords for registries of images.',
  'servers:read': 'Read servers and their capacity.',
  'servers:write': 'Register, change and remove servers.',
  'servers:report': 'Report the capacity of servers, as daemons do.',
  'tenants:read': 'Read tenants.',
  'tenants:write': 'Create, suspend, resume and delete tenants.',
  'deployments:read': 'Read deployments and their logs.',
  'deployments:execute': 'Deploy definitions, roll back, cancel.',
  'deployments:report': 'Report the progress of deployments, as daemons do.',
  'manifest:read': 'Read resolved specs, with secret values left out.',
  'instances:read': 'Read instances.',
  'instances:write': 'Start, stop, restart and release instances.',
  'instances:report': 'Report what containers do, as daemons and the CLI do.',
  'actions:read': 'Read the actions of instances and their executions.',
  'actions:execute': 'Run actions and cancel them.',
  'actions:dangerous': 'Run actions that destroy something.',
  'actions:report': 'Report the results of actions, as daemons do.',
  'backups:read': 'Read which backups there are.',
  'backups:write': 'Make, verify and delete backups.',
  'backups:restore': 'Replace the data of instances by that of a backup.',
  'data:export':
    'Take definitions out of the service, with the values of their secrets and the content of volumes; rotate server keys.',
  'upgrades:read': 'Read which newer versions of running instances there are.',
  'upgrades:write': 'Look for newer versions, acknowledge and apply them.',
  'assistant:ask': 'Ask the assistant, and see how much of it is left.',
  'webhooks:read': 'Read webhook endpoints and their deliveries.',
  'webhooks:write': 'Create, change and remove webhook endpoints, send a delivery again.',
  'events:read': 'Read the audit list of events.',
  'account:read': 'Read the account, its users and its keys (never their values).',
  'account:write': 'Create and revoke API keys, change the account.',
  admin: 'Everything, and the operations of the installation.',
} as const;

export type Permission = keyof typeof permissions;

export const permissionNames = Object.keys(permissions) as Permission[];

export const allows = (granted: readonly string[], wanted: Permission): boolean =>
  granted.includes(wanted) || granted.includes('admin');
