import type { gardenEndpoints } from '@hortus/contract/resources/gardens';
import type { Handlers } from '../../http/handler.ts';
import type { GardenExports } from './export.ts';
import type { Gardens } from './service.ts';

export const gardenRoutes = (gardens: Gardens, exports: GardenExports): Handlers<keyof typeof gardenEndpoints> => ({
  'gardens.plan': async ({ principal, body }) => ({ success: true, data: await gardens.plan(principal, body) }),
  'gardens.apply': async ({ principal, body, write }) => {
    const prepared = await gardens.prepare(principal, body);
    return write(async (tx) => ({ success: true, data: await gardens.apply(tx, principal, prepared) }));
  },
  'gardens.list': async ({ principal, query }) => ({ success: true, ...(await gardens.list(principal, query)) }),
  'gardens.export': async ({ principal, query }) => ({
    success: true,
    data: await exports.write(principal, query.name),
  }),
  'gardens.read': async ({ principal, params }) => ({ success: true, data: await gardens.read(principal, params.id) }),
  'gardens.delete': ({ principal, params, write }) =>
    write(async (tx) => ({ success: true, data: await gardens.delete(tx, principal, params.id) })),
  'gardens.runs': async ({ principal, params, query }) => ({
    success: true,
    ...(await gardens.runs(principal, { gardenId: params.id, status: query.status }, query)),
  }),
  'gardens.run': async ({ principal, params }) => ({ success: true, data: await gardens.run(principal, params.id) }),
  'gardens.cancel': ({ principal, params, write }) =>
    write(async (tx) => ({ success: true, data: await gardens.cancel(tx, principal, params.id) })),
});
