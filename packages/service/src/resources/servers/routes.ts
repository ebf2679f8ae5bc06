import type { serverEndpoints } from '@hortus/contract/resources/servers';
import type { Handlers } from '../../http/handler.ts';
import { userOf } from '../../identity/principal.ts';
import type { Drains } from './drain.ts';
import type { Identities } from './identities.ts';
import type { Balances } from './placement/balance.ts';
import type { Prunes } from './prune.ts';
import type { Servers } from './service.ts';

export const serverRoutes = (
  servers: Servers,
  drains: Drains,
  prunes: Prunes,
  identities: Identities,
  balances: Balances,
): Handlers<keyof typeof serverEndpoints> => ({
  'servers.drain': ({ principal, params, write }) =>
    write(async (tx) => ({ success: true, data: await drains.drain(tx, principal, params.id) })),
  'servers.prune': ({ principal, params, body, write }) =>
    write(async (tx) => ({ success: true, execution: await prunes.prune(tx, principal, params.id, body) })),
  'servers.undrain': ({ principal, params, write }) =>
    write(async (tx) => ({ success: true, data: await drains.undrain(tx, principal, params.id) })),
  'servers.balance': async ({ principal }) => ({ success: true, data: await balances.read(principal) }),
  'servers.list': async ({ principal, query }) => ({
    success: true,
    ...(await servers.list({ accountId: principal.accountId }, query)),
  }),
  'servers.mine': async ({ principal, query }) => ({
    success: true,
    ...(await servers.list({ accountId: principal.accountId, registeredBy: userOf(principal) }, query)),
  }),
  'servers.register': ({ principal, body, write }) =>
    write(async (tx) => ({ success: true, data: await servers.register(tx, principal, body) })),
  'servers.create': ({ principal, body, write }) =>
    write(async (tx) => ({ success: true, data: await servers.register(tx, principal, body) })),
  'servers.read': async ({ principal, params }) => ({ success: true, data: await servers.read(principal, params.id) }),
  'servers.update': ({ principal, params, body, write }) =>
    write(async (tx) => ({ success: true, data: await servers.update(tx, principal, params.id, body) })),
  'servers.delete': ({ principal, params, query, write }) =>
    write(async (tx) => ({
      success: true,
      data: await servers.remove(tx, principal, params.id, query.force ?? false),
    })),
  'servers.resetIdentity': ({ principal, params, body, write }) =>
    write(async (tx) => ({ success: true, data: await identities.reset(tx, principal, params.id, body) })),
  'servers.rotateKey': ({ principal, params, query, write }) =>
    write(async (tx) => ({
      success: true,
      data: await servers.rotateKey(tx, principal, params.id, query.force ?? false),
    })),
});
