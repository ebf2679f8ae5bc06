import { matchesData } from '../resources/deployments/matching-data.ts';
import { requireSettled } from '../resources/migrations/settled.ts';
import { Rehearsals } from '../resources/rehearsals/service.ts';
import { rehearsalTrial } from '../resources/rehearsals/trial.ts';
import { daemonMay } from '../resources/servers/connected-daemon.ts';
import { UpgradeApplication } from '../resources/upgrades/apply.ts';
import { wakeUpgradeAfter } from '../resources/upgrades/apply-job.ts';
import { Upgrades } from '../resources/upgrades/service.ts';
import { stepDeps } from '../resources/upgrades/step-deps.ts';
import type { SharedDependencies } from './dependencies.ts';
import type { DeploymentsMade } from './deployments.ts';
import type { ServersMade } from './servers.ts';

/** Creates offers of upgrades, their rehearsals and their application. */
export function makeUpgrades(
  { storage, pages, vault, catalog, work }: SharedDependencies,
  { manifests, server }: ServersMade,
  deploymentsMade: DeploymentsMade,
) {
  const { reader } = storage;
  const { definitions, deployments, instances, actions, backups } = deploymentsMade;
  const upgrades = new Upgrades({
    storage,
    pages,
    catalog,
    work,
    hasInstance: (accountId, id) => instances.has(accountId, id),
  });
  const rehearsalsTrial = rehearsalTrial({
    ...deploymentsMade,
    catalog,
    server,
    ended: (tx, { id }) => wakeUpgradeAfter(tx, id),
  });
  const rehearsals = new Rehearsals({
    reader,
    pages,
    vault,
    catalog,
    work,
    trial: rehearsalsTrial,
    definitions,
    instances,
    backups,
    server,
    resolve: (tx, ...args) => manifests.resolve(tx, ...args),
    requireSettled,
    matchesData,
  });
  const applicationSteps = stepDeps({
    rehearsal: (queries, ...args) => rehearsals.outcome(queries, ...args),
    server,
    deployments,
    actions,
    catalog,
    async backup(tx, principal, { instance_id, definition_id }) {
      const matchingData = await matchesData(tx, definition_id);
      const ordered = await backups.beforeChange(tx, principal, instance_id, matchingData);
      return ordered && { backupId: ordered.backup.id, executionId: ordered.execution.id };
    },
  });
  const application = new UpgradeApplication({
    ...applicationSteps,
    rehearsals,
    reader,
    vault,
    catalog,
    work,
    canBackUp: (queries, serverId) => daemonMay(queries, serverId, 'builtin'),
  });
  return { upgrades, rehearsals, rehearsalsTrial, applicationSteps, application };
}
