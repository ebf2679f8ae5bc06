import { allows, type Permission } from '@hortus/contract/permissions';
import { forbidden } from '../problem.ts';
import type { Network } from './networks.ts';

export type Plan = 'free' | 'pro' | 'enterprise';

interface Member {
  readonly accountId: string;
  readonly plan: Plan;
}

/** The authenticated caller. Handlers of rows that are not public always get one with an account. */
export type Principal =
  | (Member & {
      readonly kind: 'key';
      readonly id: string;
      readonly userId: string | null;
      readonly permissions: readonly string[];
      /** Credentials that it creates must not outlive it or be accepted from other networks. */
      readonly expiresAt: number | null;
      readonly networks: readonly Network[];
    })
  | (Member & {
      readonly kind: 'session';
      readonly id: string;
      readonly userId: string;
      readonly permissions: readonly string[];
    })
  | (Member & {
      readonly kind: 'server';
      readonly serverId: string;
      /** For a cluster: the member whose daemon this is. */
      readonly memberId?: string;
    });

/** Limits of a key that never expires and is accepted from everywhere. */
export const unlimited = { expiresAt: null, networks: [] as readonly Network[] } as const;

/** Stands for a caller whose order is executed after its request has ended. */
export const standInFor = (accountId: string, actor: string | null): Principal => ({
  kind: 'key',
  id: actor ?? 'service',
  userId: null,
  accountId,
  plan: 'enterprise',
  permissions: [],
  ...unlimited,
});

/** Returns the id of the key, user or server, which is recorded with every change. */
export const actorOf = (principal: Principal): string => {
  switch (principal.kind) {
    case 'key':
      return principal.id;
    case 'session':
      return principal.userId;
    case 'server':
      return principal.memberId ?? principal.serverId;
  }
};

/** Returns the id of the credential. Two sessions of a user are two credentials, because one may be stolen. */
export const credentialOf = (principal: Principal): string =>
  principal.kind === 'server' ? (principal.memberId ?? principal.serverId) : principal.id;

/** Returns the user of a principal; null for servers and for keys without a user. */
export const userOf = (principal: Principal): string | null => (principal.kind === 'server' ? null : principal.userId);

export const may = (principal: Principal, permission: Permission): boolean =>
  principal.kind !== 'server' && allows(principal.permissions, permission);

export function requirePermission(principal: Principal, permission: Permission): void {
  if (!may(principal, permission)) throw forbidden(permission);
}
