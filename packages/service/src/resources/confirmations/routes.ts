import type { confirmationEndpoints } from '@hortus/contract/resources/confirmations';
import type { Handlers } from '../../http/handler.ts';
import type { Confirmations } from './service.ts';

export const confirmationRoutes = (confirmations: Confirmations): Handlers<keyof typeof confirmationEndpoints> => ({
  'confirmations.create': async ({ principal, address, body, write }) => {
    const described = await confirmations.describe({ principal, address }, body);
    return write(async (tx) => ({ success: true, data: await confirmations.create(tx, principal, described) }));
  },
  'confirmations.list': async ({ principal, query }) => ({
    success: true,
    ...(await confirmations.list(principal, query.status, query)),
  }),
  'confirmations.read': async ({ principal, params }) => ({
    success: true,
    data: await confirmations.read(principal, params.id),
  }),
  'confirmations.confirm': async ({ principal, address, params }) => ({
    success: true,
    data: await confirmations.confirm({ principal, address }, params.id),
  }),
  'confirmations.reject': ({ principal, params, write }) =>
    write(async (tx) => ({ success: true, data: await confirmations.reject(tx, principal, params.id) })),
});
