// What other resources may use of definitions.
export type { BackupPlan } from './backup-plan.ts';
export { type Bindings, bindingsOf } from './bindings.ts';
export { copyOrder } from './copy.ts';
export { noServer } from './create.ts';
export { definitionByUid, type Pinned, pin, revisionOf, secretValues, succeeded } from './deployable.ts';
export { hiddenValues } from './hidden-values.ts';
export { requireFreeUid } from './naming.ts';
export type { Order } from './order.ts';
export { overridesOf } from './overrides.ts';
export { needsOf } from './placing.ts';
export { requireUnbound, tiesOf, usedBy } from './providers/providers.ts';
export { backupSettings } from './record.ts';
export type { SecretChanges } from './secret-changes.ts';
export { secretContext } from './secrets.ts';
export type { Definitions } from './service.ts';
export {
  type CurrentRow,
  containerNamesOn,
  copiesOf,
  countDefinitionsOfTenants,
  countDefinitionsOn,
  countDefinitionsOnEach,
  currentRevisionsOn,
  type DefinitionRow,
  definitionsOf,
  findDefinition,
  findName,
  findRevision,
  hasRevisionOf,
  isArchived,
  lockDefinition,
  lockDefinitionsOfTenant,
  newestRevisionAt,
  type RevisionRow,
  userSecretsOf,
} from './store.ts';
export { makeCurrent, type Passage, secretsFor, stageRevision } from './upgrade.ts';
