import type { Permission } from '@hortus/contract/permissions';
import { Problem } from '../problem.ts';
import { isPartOf, type Network } from './networks.ts';
import { type Principal, requirePermission, unlimited } from './principal.ts';

/** When and from where a credential may be used. */
export interface Limits {
  readonly expiresAt: number | null;
  /** Empty means everywhere. */
  readonly networks: readonly Network[];
}

/** Returns the limits for everything that the caller creates. A session has none, because its user has none. */
export function limitsOf(principal: Principal): Limits {
  if (principal.kind === 'server') throw new Problem('FORBIDDEN', 'A server key cannot create credentials.');
  return principal.kind === 'key' ? principal : unlimited;
}

export const expiresWithin = (expiresAt: number | null, { expiresAt: latest }: Limits): boolean =>
  latest === null || (expiresAt !== null && expiresAt <= latest);

export const reachesWithin = (networks: readonly Network[], { networks: allowed }: Limits): boolean =>
  allowed.length === 0 ||
  (networks.length > 0 && networks.every((network) => allowed.some((outer) => isPartOf(network, outer))));

/** Throws unless the caller could have created a key with these permissions and limits, and therefore may revoke it. */
export function requireCouldHaveMade(principal: Principal, permissions: readonly string[], limits: Limits): void {
  for (const permission of permissions) requirePermission(principal, permission as Permission);
  const own = limitsOf(principal);
  if (!expiresWithin(limits.expiresAt, own) || !reachesWithin(limits.networks, own))
    throw new Problem(
      'FORBIDDEN',
      'The key expires later than yours, or may be used from more networks. Use a key that could have created it.',
    );
}

/**
 * Throws unless the caller has these permissions without limits. Users have no expiry and no network list, so a key
 * with one must not be able to create a user or set a password.
 */
export function requireUnlimited(principal: Principal, permissions: readonly Permission[]): void {
  for (const permission of permissions) requirePermission(principal, permission);
  const { expiresAt, networks } = limitsOf(principal);
  if (expiresAt !== null || networks.length > 0)
    throw new Problem('FORBIDDEN', 'A key with an expiry or a network list may not manage users.');
}
