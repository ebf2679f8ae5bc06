import type { daemonUpdateEndpoints } from '@hortus/contract/resources/daemon-updates';
import type { Handlers } from '../../http/handler.ts';
import type { DaemonUpdates } from './service.ts';

export const daemonUpdateRoutes = (updates: DaemonUpdates): Handlers<keyof typeof daemonUpdateEndpoints> => ({
  'daemon-updates.list': async ({ principal, query }) => ({
    success: true,
    ...(await updates.list({ accountId: principal.accountId, status: query.status }, query)),
  }),
  'daemon-updates.create': async ({ principal, body, write }) => {
    const version = await updates.prepare(body);
    return write(async (tx) => ({ success: true, data: await updates.create(tx, principal, body, version) }));
  },
  'daemon-updates.read': async ({ principal, params }) => ({
    success: true,
    data: await updates.read(principal, params.id),
  }),
  'daemon-updates.continue': ({ principal, params, write }) =>
    write(async (tx) => ({ success: true, data: await updates.continue(tx, principal, params.id) })),
  'daemon-updates.cancel': ({ principal, params, write }) =>
    write(async (tx) => ({ success: true, data: await updates.cancel(tx, principal, params.id) })),
});
