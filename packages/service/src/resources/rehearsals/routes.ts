import type { rehearsalEndpoints } from '@hortus/contract/resources/rehearsals';
import type { Handlers } from '../../http/handler.ts';
import type { Rehearsals } from './service.ts';

export const rehearsalRoutes = (rehearsals: Rehearsals): Handlers<keyof typeof rehearsalEndpoints> => ({
  'rehearsals.list': async ({ principal, query }) => {
    const { instance_id: instanceId, upgrade_id: upgradeId, kind, status } = query;
    const filter = { accountId: principal.accountId, instanceId, upgradeId, kind, status };
    return { success: true, ...(await rehearsals.list(filter, query)) };
  },
  'rehearsals.read': async ({ principal, params }) => ({
    success: true,
    data: await rehearsals.read(principal, params.id),
  }),
  'rehearsals.clone': ({ principal, params, body, write }) =>
    write(async (tx) => ({ success: true, data: await rehearsals.clone(tx, principal, params.id, body) })),
  'rehearsals.remove': ({ principal, params, write }) =>
    write(async (tx) => ({ success: true, data: await rehearsals.remove(tx, principal, params.id) })),
});
