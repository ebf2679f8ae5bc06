import type { Handlers, LiveHandlers } from '../../http/handler.ts';
import type { Logs } from './service.ts';

export const logRoutes = (logs: Logs): Handlers<'logs.instance'> => ({
  'logs.instance': async ({ principal, params, query }) => ({
    success: true,
    data: await logs.read(principal, params.id, query),
  }),
});

export const logStreams = (logs: Logs): LiveHandlers<'logs.instance'> => ({
  'logs.instance': ({ principal, params, query, lastEventId }) => logs.follow(principal, params.id, query, lastEventId),
});
