import type { savedConfigEndpoints } from '@hortus/contract/resources/saved-configs';
import type { Handlers } from '../../http/handler.ts';
import type { SavedConfigs } from './service.ts';

export const savedConfigRoutes = (configs: SavedConfigs): Handlers<keyof typeof savedConfigEndpoints> => ({
  'saved-configs.list': async ({ principal, query }) => ({
    success: true,
    ...(await configs.list({ accountId: principal.accountId, species: query.species }, query)),
  }),
  'saved-configs.create': ({ principal, body, write }) =>
    write(async (tx) => ({ success: true, data: await configs.create(tx, principal, body) })),
  'saved-configs.read': async ({ principal, params }) => ({
    success: true,
    data: await configs.read(principal, params.id),
  }),
  'saved-configs.update': ({ principal, params, body, write }) =>
    write(async (tx) => ({ success: true, data: await configs.update(tx, principal, params.id, body) })),
  'saved-configs.delete': ({ principal, params, write }) =>
    write(async (tx) => ({ success: true, data: await configs.remove(tx, principal, params.id) })),
});
