import type { transferEndpoints } from '@hortus/contract/resources/transfers';
import type { Handlers } from '../../http/handler.ts';
import type { Transfers } from './service.ts';

export const transferRoutes = (transfers: Transfers): Handlers<keyof typeof transferEndpoints> => ({
  'transfers.pending': async ({ principal, query }) => ({
    success: true,
    ...(await transfers.pending(principal, query)),
  }),
  'transfers.report': ({ principal, params, body, write }) =>
    write(async (tx) => ({ success: true, data: await transfers.report(tx, principal, params.id, body) })),
});
