import { alertMachine } from './alert.ts';
import { backupMachine } from './backup.ts';
import { confirmationMachine } from './confirmation.ts';
import { daemonUpdateMachine, updateTargetMachine } from './daemon-update.ts';
import { definitionMachine } from './definition.ts';
import { deploymentMachine } from './deployment.ts';
import { evacuationMachine, evacuationMoveMachine } from './evacuation.ts';
import { executionMachine } from './execution.ts';
import { gardenCommitMachine } from './garden-commit.ts';
import { gardenRunMachine } from './garden-run.ts';
import { importMachine } from './import.ts';
import { instanceHealthMachine, instanceMachine } from './instance.ts';
import type { Machine } from './machine.ts';
import { migrationMachine } from './migration.ts';
import { recipeMachine } from './recipe.ts';
import { rehearsalMachine } from './rehearsal.ts';
import { serverMachine } from './server.ts';
import { templateMachine } from './template.ts';
import { templateTestMachine } from './template-test.ts';
import { tenantMachine } from './tenant.ts';
import { transferMachine } from './transfer.ts';
import { upgradeMachine } from './upgrade.ts';

/** In reading order: the catalog, definitions, servers, then what happens to them. */
export const machines: readonly Machine[] = [
  templateMachine,
  templateTestMachine,
  definitionMachine,
  deploymentMachine,
  instanceMachine,
  instanceHealthMachine,
  executionMachine,
  backupMachine,
  serverMachine,
  daemonUpdateMachine,
  updateTargetMachine,
  tenantMachine,
  recipeMachine,
  upgradeMachine,
  rehearsalMachine,
  migrationMachine,
  evacuationMachine,
  evacuationMoveMachine,
  transferMachine,
  importMachine,
  gardenRunMachine,
  gardenCommitMachine,
  alertMachine,
  confirmationMachine,
];
