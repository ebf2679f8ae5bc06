import type { connectionEndpoints, Provider } from '@hortus/contract/resources/connections';
import type { Handlers } from '../../http/handler.ts';
import type { Page, PageRequest } from '../../storage/page.ts';
import type { Connections } from './service.ts';

/** Lists the definitions of an account that provide a class. */
export type ListProviders = (
  accountId: string,
  className: string | undefined,
  request: PageRequest,
) => Promise<Page<Provider>>;

export const connectionRoutes = (
  connections: Connections,
  providers: ListProviders,
): Handlers<keyof typeof connectionEndpoints> => ({
  'connections.list': async ({ principal, query }) => ({
    success: true,
    ...(await connections.list({ accountId: principal.accountId, class: query.class }, query)),
  }),
  'connections.providers': async ({ principal, query }) => ({
    success: true,
    ...(await providers(principal.accountId, query.class, query)),
  }),
  'connections.create': ({ principal, body, write }) =>
    write(async (tx) => ({ success: true, data: await connections.create(tx, principal, body) })),
  'connections.read': async ({ principal, params }) => ({
    success: true,
    data: await connections.read(principal, params.id),
  }),
  'connections.update': ({ principal, params, body, write }) =>
    write(async (tx) => ({ success: true, data: await connections.update(tx, principal, params.id, body) })),
  'connections.delete': ({ principal, params, write }) =>
    write(async (tx) => ({ success: true, data: await connections.remove(tx, principal, params.id) })),
});
