import type { capacityEndpoints } from '@hortus/contract/resources/capacity';
import type { Handlers } from '../../http/handler.ts';
import type { Capacities } from './service.ts';

export const capacityRoutes = (capacities: Capacities): Handlers<keyof typeof capacityEndpoints> => ({
  'capacity.list': async ({ principal, query }) => ({ success: true, ...(await capacities.list(principal, query)) }),
  'capacity.read': async ({ principal, params }) => ({
    success: true,
    data: await capacities.read(principal, params.server_id),
  }),
  'capacity.history': async ({ principal, params, query }) => ({
    success: true,
    data: await capacities.history(principal, params.server_id, query.range),
  }),
  'capacity.report': ({ principal, params, body, write }) =>
    write(async (tx) => ({
      success: true,
      data: await capacities.report(tx, principal, params.server_id, body),
    })),
});
