import { allows, type Permission } from '@hortus/contract/permissions';
import { forbidden } from '../problem.ts';
import type { Network } from './networks.ts';

export type Plan = 'free' | 'pro' | 'enterprise';

interface Member {
  readonly accountId: string;
  readonly plan: Plan;
}

/** Who is calling. A handler of a row that is not public always gets one that has an account. */
export type Principal =
  | (Member & {
      readonly kind: 'key';
      readonly id: string;
      readonly userId: string | null;
      readonly permissions: readonly string[];
      /** What it makes may not outlive it, nor be used from elsewhere. */
      readonly expiresAt: number | null;
      readonly networks: readonly Network[];
    })
  | (Member & {
      readonly kind: 'session';
      readonly id: string;
      readonly userId: string;
      readonly permissions: readonly string[];
    })
  | (Member & { readonly kind: 'server'; readonly serverId: string });

/** Of a key that never expires and works from everywhere. */
export const unlimited = { expiresAt: null, networks: [] as readonly Network[] } as const;

/** Somebody who ordered something that happens later, when his request is long over. */
export const standInFor = (accountId: string, actor: string | null): Principal => ({
  kind: 'key',
  id: actor ?? 'service',
  userId: null,
  accountId,
  plan: 'enterprise',
  permissions: [],
  ...unlimited,
});

/** Recorded with every change: which key, user or server it was. */
export const actorOf = (principal: Principal): string => {
  switch (principal.kind) {
    case 'key':
      return principal.id;
    case 'session':
      return principal.userId;
    case 'server':
      return principal.serverId;
  }
};

/** What the caller proved itself by. Two sessions of a user are two credentials: one may be stolen. */
export const credentialOf = (principal: Principal): string =>
  principal.kind === 'server' ? principal.serverId : principal.id;

/** The person behind it; a key that nobody made by hand, and a server, have none. */
export const userOf = (principal: Principal): string | null => (principal.kind === 'server' ? null : principal.userId);

export const may = (principal: Principal, permission: Permission): boolean =>
  principal.kind !== 'server' && allows(principal.permissions, permission);

export function requirePermission(principal: Principal, permission: Permission): void {
  if (!may(principal, permission)) throw forbidden(permission);
}
