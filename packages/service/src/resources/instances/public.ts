// What other resources may use of instances.
export type { BuiltInOrder } from './built-in-order.ts';
export { up } from './of-tenant.ts';
export { specOf } from './running-template.ts';
export { type Instances, released } from './service.ts';
export {
  countInstancesOfTenants,
  countRunningOn,
  definitionOfInstance,
  findLiving,
  findMembership,
  httpsInstancesAfter,
  type InstanceRow,
  livingOn,
  livingRevision,
  livingWithNamesOn,
  lockDrifted,
  lockLiving,
  type NamedRow,
  restartedSince,
  setHealed,
  statesOf,
  troubledInstances,
  type WatchedInstance,
} from './store.ts';
