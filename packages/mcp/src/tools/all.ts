import type { Tool } from '../tool.ts';
import { runAction } from './actions.ts';
import { searchCatalog, showSpecies } from './catalog.ts';
import { createInstance } from './create.ts';
import { archiveInstance, releaseInstance, restoreBackup } from './dangerous.ts';
import { deploy, rollBack } from './deploy.ts';
import { listDeployments } from './deployments.ts';
import { listEvents } from './events.ts';
import { listInstances, showInstance } from './instances.ts';
import { readLogs } from './logs.ts';
import { backUp, cancel, restartInstance, startInstance, stopInstance } from './orders.ts';
import { showProgress } from './progress.ts';
import { listServers } from './servers.ts';
import { changeSettings } from './settings.ts';
import { upgrade } from './upgrade.ts';
import { listUpgrades } from './upgrades.ts';

/** Every tool. A model reads all of their descriptions, so that there are at most 25. */
export const tools: readonly Tool[] = [
  searchCatalog,
  showSpecies,
  listServers,
  listInstances,
  showInstance,
  readLogs,
  listEvents,
  listDeployments,
  showProgress,
  listUpgrades,
  createInstance,
  changeSettings,
  deploy,
  rollBack,
  startInstance,
  stopInstance,
  restartInstance,
  runAction,
  upgrade,
  backUp,
  cancel,
  restoreBackup,
  releaseInstance,
  archiveInstance,
];
