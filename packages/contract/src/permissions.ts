import { permissions } from './records/names.ts';

export type Permission = keyof typeof permissions;

/** Permissions that members have only if an owner has granted them. */
export const grantablePermissions = [
  'instances:shell',
  'instances:recordings',
] as const satisfies readonly Permission[];

export const permissionNames = Object.keys(permissions) as Permission[];

export const allows = (granted: readonly string[], wanted: Permission): boolean =>
  granted.includes(wanted) || granted.includes('admin');
