import type { evacuationEndpoints } from '@hortus/contract/resources/evacuations';
import type { Handlers } from '../../http/handler.ts';
import type { Evacuations } from './service.ts';

export const evacuationRoutes = (evacuations: Evacuations): Handlers<keyof typeof evacuationEndpoints> => ({
  'evacuations.create': async ({ principal, params, body, write }) => {
    const plan = await evacuations.plan(principal, params.id, body);
    if (body.dry_run) return { success: true, data: { plan, evacuation: null } };
    return write(async (tx) => ({ success: true, data: await evacuations.begin(tx, principal, plan, body) }));
  },
  'evacuations.list': async ({ principal, params, query }) => ({
    success: true,
    ...(await evacuations.list(principal, params.id, query)),
  }),
  'evacuations.read': async ({ principal, params }) => ({
    success: true,
    data: await evacuations.read(principal, params.id),
  }),
  'evacuations.cancel': ({ principal, params, write }) =>
    write(async (tx) => ({ success: true, data: await evacuations.cancel(tx, principal, params.id) })),
});
