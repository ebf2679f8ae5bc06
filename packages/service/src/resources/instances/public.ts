// What other resources may use of instances.
export type { BuiltInOrder } from './built-in-order.ts';
export { up } from './of-tenant.ts';
export { specOf } from './running-template.ts';
export { type Instances, released } from './service.ts';
export {
  countOfTenants as instancesOfTenants,
  countRunningOn as runningOn,
  definitionOf as definitionOfInstance,
  findLiving,
  findMembership as membershipOf,
  type InstanceRow,
  livingOn as deployedOn,
  livingRevision as revisionOfLiving,
  lockDriftedOf as lockDrifted,
  lockLiving as holdLiving,
  type NamedRow,
  namedOn as toMoveFrom,
  setHealed,
} from './store.ts';
