import type { Command } from '../command.ts';
import { actionsHistory, actionsList, actionsShow } from './actions.ts';
import { actionsRun } from './actions-run.ts';
import { backupsCreate, backupsDelete, backupsList, backupsRestore, backupsVerify } from './backups.ts';
import { catalogList, catalogShow } from './catalog.ts';
import { showConfig, useContext } from './config.ts';
import { deploy } from './deploy.ts';
import { deploymentsList } from './deployments.ts';
import { doctor } from './doctor.ts';
import { helpFor } from './help.ts';
import { instancesRestart, instancesStart, instancesStop } from './instance-orders.ts';
import { instancesList, instancesShow } from './instances.ts';
import { instancesRelease } from './instances-release.ts';
import { login } from './login.ts';
import { logout } from './logout.ts';
import { logs } from './logs.ts';
import { registriesAdd, registriesList, registriesRemove } from './registries.ts';
import { serversList, serversRegister, serversShow } from './servers.ts';
import { backupService, restoreService } from './service-backup.ts';
import { templateExport } from './template-export.ts';
import { templateImport } from './template-import.ts';
import { templateValidate } from './template-validate.ts';
import { version } from './version.ts';

/** The table of commands, in the order help shows them: sign in, choose, deploy, look after, look into. */
export const commands: readonly Command[] = [
  login,
  logout,
  catalogList,
  catalogShow,
  deploy,
  deploymentsList,
  logs,
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
  serversList,
  serversShow,
  serversRegister,
  registriesList,
  registriesAdd,
  registriesRemove,
  templateValidate,
  templateImport,
  templateExport,
  doctor,
  backupService,
  restoreService,
  showConfig,
  useContext,
  version,
  helpFor(() => commands),
];
