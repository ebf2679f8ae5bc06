import type { registryEndpoints } from '@hortus/contract/resources/registries';
import type { Handlers } from '../../http/handler.ts';
import type { Registries } from './service.ts';

export const registryRoutes = (registries: Registries): Handlers<keyof typeof registryEndpoints> => ({
  'registries.list': async ({ principal, query }) => ({ success: true, ...(await registries.list(principal, query)) }),
  'registries.create': ({ principal, body, write }) =>
    write(async (tx) => ({ success: true, data: await registries.create(tx, principal, body) })),
  'registries.read': async ({ principal, params }) => ({
    success: true,
    data: await registries.read(principal, params.id),
  }),
  'registries.update': ({ principal, params, body, write }) =>
    write(async (tx) => ({ success: true, data: await registries.update(tx, principal, params.id, body) })),
  'registries.delete': ({ principal, params, write }) =>
    write(async (tx) => ({ success: true, data: await registries.delete(tx, principal, params.id) })),
});
