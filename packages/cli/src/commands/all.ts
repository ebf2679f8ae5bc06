import type { Command } from '../command-line/command.ts';
import { actionsHistory, actionsList, actionsShow } from './actions.ts';
import { actionsRun } from './actions-run.ts';
import { alerts, notificationsDeliveries, notificationsResend } from './alerts.ts';
import { ask } from './ask.ts';
import { backupsCreate, backupsDelete, backupsList, backupsRestore, backupsVerify } from './backups.ts';
import { catalogList, catalogShow } from './catalog.ts';
import { clone } from './clone.ts';
import { completion } from './completion.ts';
import { showConfig, useContext } from './config.ts';
import { configsDelete, configsList, configsSave, configsShow } from './configs.ts';
import { confirm } from './confirm.ts';
import {
  connectionsCreate,
  connectionsDelete,
  connectionsList,
  connectionsShow,
  connectionsUpdate,
} from './connections.ts';
import { definitionsList, definitionsRevisions, definitionsShow } from './definitions.ts';
import { definitionsActivate, definitionsArchive, definitionsRestore } from './definitions-change.ts';
import { definitionsEdit } from './definitions-edit.ts';
import { definitionsExport } from './definitions-export.ts';
import { definitionsImport } from './definitions-import.ts';
import { deploy } from './deploy.ts';
import { deploymentsList } from './deployments.ts';
import { deploymentsRollback } from './deployments-rollback.ts';
import { doctor } from './doctor.ts';
import { events } from './events.ts';
import { apply, diff, exportGarden } from './garden.ts';
import { gardensCancel, gardensForget, gardensList, gardensShow } from './gardens.ts';
import { gardensCommit, gardensCommits } from './gardens-commits.ts';
import { gardensApprove, gardensReject } from './gardens-decide.ts';
import { gardensEdit, gardensFollow } from './gardens-follow.ts';
import { gardensDrift, gardensSync } from './gardens-sync.ts';
import { help } from './help.ts';
import { instancesRestart, instancesSmoke, instancesStart, instancesStop } from './instance-orders.ts';
import { instancesList, instancesShow } from './instances.ts';
import { instancesRelease } from './instances-release.ts';
import { keysCreate, keysList, keysRevoke } from './keys.ts';
import { login } from './login.ts';
import { logout } from './logout.ts';
import { logs } from './logs.ts';
import { match } from './match.ts';
import { mcp } from './mcp.ts';
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
import { open } from './open.ts';
import { plan } from './plan.ts';
import { playbooksList, playbooksShow } from './playbooks.ts';
import { recipesList, recipesShow, recipesSubmit } from './recipes.ts';
import { recipesApprove, recipesReject, recipesUpvote, recipesWithdraw } from './recipes-review.ts';
import { registriesAdd, registriesList, registriesRemove } from './registries.ts';
import { rehearsalsList, rehearsalsRemove, rehearsalsShow } from './rehearsals.ts';
import { serversList, serversShow } from './servers.ts';
import { serversBalance } from './servers-balance.ts';
import { serversDoctor } from './servers-doctor.ts';
import { serversActivate, serversDrain, serversUndrain } from './servers-drain.ts';
import { serversEvacuations, serversEvacuationsCancel, serversEvacuationsShow } from './servers-evacuations.ts';
import { serversResetIdentity, serversRotateKey } from './servers-identity.ts';
import { serversLabel } from './servers-label.ts';
import { serversMembers, serversMembersAdd, serversMembersRevoke } from './servers-members.ts';
import { serversNodes, serversNodesActivate, serversNodesDrain } from './servers-nodes.ts';
import { serversPrune } from './servers-prune.ts';
import { serversRegister } from './servers-register.ts';
import { serversUpdate } from './servers-update.ts';
import { serversUpdates, serversUpdatesCancel, serversUpdatesContinue } from './servers-updates.ts';
import { backupService, restoreService } from './service-backup.ts';
import { shell, shellsList } from './shell.ts';
import { showStatus } from './status.ts';
import { templateExport } from './template-export.ts';
import { templateImport } from './template-import.ts';
import { templateNew } from './template-new.ts';
import { templateValidate } from './template-validate.ts';
import { templateVerify } from './template-verify.ts';
import { tenantsCreate, tenantsDelete, tenantsList, tenantsResume, tenantsSuspend } from './tenants.ts';
import { top } from './top.ts';
import { upgradesAck, upgradesList, upgradesScan } from './upgrades.ts';
import { upgradesApply } from './upgrades-apply.ts';
import { upgradesRehearse } from './upgrades-rehearse.ts';
import { vaultRotate, vaultSet, vaultShow } from './vault.ts';
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
import { webhooksListen } from './webhooks-listen.ts';

/** Commands by the headings of the help, in its order. A command is added here and nowhere else. */
export const sections: Readonly<Record<string, readonly Command[]>> = {
  Start: [login, logout, showStatus, doctor, showConfig, useContext],
  Deploy: [
    catalogList,
    catalogShow,
    match,
    ask,
    plan,
    deploy,
    deploymentsList,
    deploymentsRollback,
    clone,
    definitionsList,
    definitionsShow,
    definitionsEdit,
    definitionsRevisions,
    definitionsRestore,
    definitionsArchive,
    definitionsActivate,
    definitionsExport,
    definitionsImport,
    definitionsMigrate,
    vaultShow,
    vaultSet,
    vaultRotate,
    configsList,
    configsShow,
    configsSave,
    configsDelete,
    connectionsList,
    connectionsShow,
    connectionsCreate,
    connectionsUpdate,
    connectionsDelete,
  ],
  Files: [
    diff,
    apply,
    exportGarden,
    gardensList,
    gardensShow,
    gardensFollow,
    gardensCommits,
    gardensCommit,
    gardensApprove,
    gardensReject,
    gardensSync,
    gardensDrift,
    gardensEdit,
    gardensCancel,
    gardensForget,
  ],
  Operate: [
    open,
    top,
    logs,
    shell,
    shellsList,
    instancesList,
    instancesShow,
    instancesStart,
    instancesStop,
    instancesRestart,
    instancesSmoke,
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
    upgradesRehearse,
    upgradesApply,
    rehearsalsList,
    rehearsalsShow,
    rehearsalsRemove,
  ],
  Servers: [
    tenantsList,
    tenantsCreate,
    tenantsSuspend,
    tenantsResume,
    tenantsDelete,
    tenantsMigrate,
    migrationsList,
    migrationsShow,
    migrationsCancel,
    serversList,
    serversShow,
    serversRegister,
    serversLabel,
    serversMembers,
    serversMembersAdd,
    serversMembersRevoke,
    serversDoctor,
    serversNodes,
    serversNodesDrain,
    serversNodesActivate,
    serversDrain,
    serversUndrain,
    serversActivate,
    serversEvacuations,
    serversEvacuationsShow,
    serversEvacuationsCancel,
    serversBalance,
    serversPrune,
    serversUpdate,
    serversUpdates,
    serversUpdatesContinue,
    serversUpdatesCancel,
    serversRotateKey,
    serversResetIdentity,
    registriesList,
    registriesAdd,
    registriesRemove,
  ],
  Notify: [
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
    webhooksListen,
    events,
  ],
  Author: [
    playbooksList,
    playbooksShow,
    templateNew,
    templateVerify,
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
  ],
  Account: [
    membersList,
    membersInvite,
    membersInvites,
    membersGrant,
    membersRemove,
    keysList,
    keysCreate,
    keysRevoke,
    confirm,
    backupService,
    restoreService,
  ],
  Program: [mcp, completion, version, help],
};

export const commands: readonly Command[] = Object.values(sections).flat();
