import { grantablePermissions, type Permission, permissionNames } from '@hortus/contract/permissions';
import type { Row } from '../storage/tables.ts';

/** Returns the permissions of a signed-in user, which depend on role and grants; keys have individual ones. */
export function permissionsOf({
  role,
  admin,
  granted = '[]',
}: Pick<Row<'users'>, 'role' | 'admin'> & { readonly granted?: string }): readonly Permission[] {
  if (admin) return permissionNames;
  const ofOwner = permissionNames.filter((name) => name !== 'admin');
  if (role === 'owner') return ofOwner;
  const extra = JSON.parse(granted) as string[];
  return ofOwner.filter((name) => !ofOwnersAlone.includes(name) || (isGrantable(name) && extra.includes(name)));
}

const isGrantable = (name: Permission): boolean => (grantablePermissions as readonly Permission[]).includes(name);

/** The keys or the whole content of an account would let a member keep access after leaving it. */
const ofOwnersAlone: readonly Permission[] = ['account:write', 'data:export', ...grantablePermissions];
