import { type Permission, permissionNames } from '@hortus/contract/permissions';
import type { Row } from '../storage/tables.ts';

/** What a signed-in user may do. Keys are given theirs one by one; a user has them by role. */
export function permissionsOf({ role, admin }: Pick<Row<'users'>, 'role' | 'admin'>): readonly Permission[] {
  if (admin) return permissionNames;
  const ofOwner = permissionNames.filter((name) => name !== 'admin');
  return role === 'owner' ? ofOwner : ofOwner.filter((name) => !ofOwnersAlone.includes(name));
}

/** Who has the keys of an account, or all that is in it, can do without the account. */
const ofOwnersAlone: readonly Permission[] = ['account:write', 'data:export'];
