// What other resources may use of instances.
export type { BuiltInOrder } from './built-in-order.ts';
export { withoutIds } from './components-text.ts';
export type { NamedRow } from './lists/store.ts';
export { up } from './of-tenant.ts';
export { specOf } from './running-template.ts';
export { type Instances, released } from './service.ts';
export {
  countInstancesOfTenants,
  countRunningOn,
  definitionOfInstance,
  deployedRevisions,
  findLiving,
  findMembership,
  type InstanceRow,
  livingOn,
  livingRevision,
  livingWithNamesOn,
  lockDrifted,
  lockLiving,
  setHealed,
} from './store.ts';
export {
  httpsInstancesAfter,
  restartedSince,
  statesOf,
  troubledInstances,
  type WatchedInstance,
} from './watching/store.ts';
