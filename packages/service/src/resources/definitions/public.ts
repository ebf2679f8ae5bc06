// What other resources may use of definitions.
export { definitionByUid, type Pinned, pin, revisionOf, secretValues, succeeded } from './deployable.ts';
export type { Order } from './order.ts';
export { backupSettings } from './record.ts';
export type { SecretChanges } from './secret-changes.ts';
export type { BackupPlan, Definitions } from './service.ts';
export {
  containerNamesOn,
  countOfTenants as definitionsOfTenants,
  countUnarchivedOn as definitionsOn,
  type DefinitionRow,
  findDefinition as definitionById,
  findRevision,
  hasRevisionOf,
  lockDefinition as holdDefinition,
  lockOfTenant as holdDefinitionsOf,
  type RevisionRow,
} from './store.ts';
export { makeCurrent, type Passage, secretsFor, stageRevision } from './upgrade.ts';
