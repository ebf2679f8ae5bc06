import { type Permission, permissionNames } from '@hortus/contract/permissions';
import type { Row } from '../storage/tables.ts';

/** Returns the permissions of a signed-in user, which depend on the role; keys have individual ones. */
export function permissionsOf({ role, admin }: Pick<Row<'users'>, 'role' | 'admin'>): readonly Permission[] {
  if (admin) return permissionNames;
  const ofOwner = permissionNames.filter((name) => name !== 'admin');
  return role === 'owner' ? ofOwner : ofOwner.filter((name) => !ofOwnersAlone.includes(name));
}

/** The keys or the whole content of an account would let a member keep access after leaving it. */
const ofOwnersAlone: readonly Permission[] = ['account:write', 'data:export'];
