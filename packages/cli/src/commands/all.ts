import type { Command } from '../command.ts';
import { actionsHistory, actionsList, actionsShow } from './actions.ts';
import { actionsRun } from './actions-run.ts';
import { alerts, notificationsDeliveries, notificationsResend } from './alerts.ts';
import { ask } from './ask.ts';
import { backupsCreate, backupsDelete, backupsList, backupsRestore, backupsVerify } from './backups.ts';
import { catalogList, catalogShow } from './catalog.ts';
import { showConfig, useContext } from './config.ts';
import { configsDelete, configsList, configsSave, configsShow } from './configs.ts';
import { definitionsList, definitionsRevisions, definitionsShow } from './definitions.ts';
import { definitionsActivate, definitionsArchive, definitionsRestore } from './definitions-change.ts';
import { definitionsExport } from './definitions-export.ts';
import { definitionsImport } from './definitions-import.ts';
import { deploy } from './deploy.ts';
import { deploymentsList } from './deployments.ts';
import { deploymentsRollback } from './deployments-rollback.ts';
import { doctor } from './doctor.ts';
import { events } from './events.ts';
import { helpFor } from './help.ts';
import { instancesRestart, instancesStart, instancesStop } from './instance-orders.ts';
import { instancesList, instancesShow } from './instances.ts';
import { instancesRelease } from './instances-release.ts';
import { keysCreate, keysList, keysRevoke } from './keys.ts';
import { login } from './login.ts';
import { logout } from './logout.ts';
import { logs } from './logs.ts';
import { match } from './match.ts';
import { membersGrant, membersInvite, membersInvites, membersList, membersRemove } from './members.ts';
import { definitionsMigrate, tenantsMigrate } from './migrate.ts';
import { migrationsCancel, migrationsList, migrationsShow } from './migrations.ts';
import {
  channelsAdd,
  channelsList,
  channelsPause,
  channelsRemove,
  channelsResume,
  channelsTest,
} from './notification-channels.ts';
import { rulesAdd, rulesChange, rulesList, rulesPause, rulesRemove, rulesResume } from './notification-rules.ts';
import { plan } from './plan.ts';
import { playbooksList, playbooksShow } from './playbooks.ts';
import { recipesList, recipesShow, recipesSubmit } from './recipes.ts';
import { recipesApprove, recipesReject, recipesUpvote, recipesWithdraw } from './recipes-review.ts';
import { registriesAdd, registriesList, registriesRemove } from './registries.ts';
import { serversList, serversRegister, serversShow } from './servers.ts';
import { serversDrain, serversUndrain } from './servers-drain.ts';
import { serversResetIdentity, serversRotateKey } from './servers-identity.ts';
import { serversPrune } from './servers-prune.ts';
import { backupService, restoreService } from './service-backup.ts';
import { shell, shellsList } from './shell.ts';
import { showStatus } from './status.ts';
import { templateExport } from './template-export.ts';
import { templateImport } from './template-import.ts';
import { templateValidate } from './template-validate.ts';
import { tenantsCreate, tenantsDelete, tenantsList, tenantsResume, tenantsSuspend } from './tenants.ts';
import { top } from './top.ts';
import { upgradesAck, upgradesList, upgradesScan } from './upgrades.ts';
import { upgradesApply } from './upgrades-apply.ts';
import { vaultRotate, vaultSet } from './vault.ts';
import { version } from './version.ts';
import {
  webhooksAdd,
  webhooksDeliveries,
  webhooksDelivery,
  webhooksList,
  webhooksRemove,
  webhooksResend,
  webhooksTest,
} from './webhooks.ts';

/** Commands in the order of the help. */
export const commands: readonly Command[] = [
  login,
  logout,
  showStatus,
  top,
  catalogList,
  catalogShow,
  match,
  ask,
  plan,
  deploy,
  deploymentsList,
  deploymentsRollback,
  definitionsList,
  definitionsShow,
  definitionsRevisions,
  definitionsRestore,
  definitionsArchive,
  definitionsActivate,
  definitionsExport,
  definitionsImport,
  definitionsMigrate,
  vaultSet,
  vaultRotate,
  configsList,
  configsShow,
  configsSave,
  configsDelete,
  logs,
  shell,
  shellsList,
  instancesList,
  instancesShow,
  instancesStart,
  instancesStop,
  instancesRestart,
  instancesRelease,
  actionsList,
  actionsRun,
  actionsShow,
  actionsHistory,
  backupsList,
  backupsCreate,
  backupsVerify,
  backupsRestore,
  backupsDelete,
  upgradesList,
  upgradesScan,
  upgradesAck,
  upgradesApply,
  tenantsList,
  tenantsCreate,
  tenantsSuspend,
  tenantsResume,
  tenantsDelete,
  tenantsMigrate,
  serversList,
  serversShow,
  serversRegister,
  serversDrain,
  serversUndrain,
  serversPrune,
  serversRotateKey,
  serversResetIdentity,
  migrationsList,
  migrationsShow,
  migrationsCancel,
  registriesList,
  registriesAdd,
  registriesRemove,
  alerts,
  channelsList,
  channelsAdd,
  channelsTest,
  channelsPause,
  channelsResume,
  channelsRemove,
  rulesList,
  rulesAdd,
  rulesChange,
  rulesPause,
  rulesResume,
  rulesRemove,
  notificationsDeliveries,
  notificationsResend,
  webhooksList,
  webhooksAdd,
  webhooksRemove,
  webhooksDeliveries,
  webhooksDelivery,
  webhooksResend,
  webhooksTest,
  events,
  playbooksList,
  playbooksShow,
  membersList,
  membersInvite,
  membersInvites,
  membersGrant,
  membersRemove,
  keysList,
  keysCreate,
  keysRevoke,
  templateValidate,
  templateImport,
  templateExport,
  recipesList,
  recipesShow,
  recipesSubmit,
  recipesUpvote,
  recipesWithdraw,
  recipesApprove,
  recipesReject,
  doctor,
  backupService,
  restoreService,
  showConfig,
  useContext,
  version,
  helpFor(() => commands),
];
