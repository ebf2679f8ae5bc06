import type { Resource } from '../../resource.ts';
import type { FollowDeps } from './follow.ts';
import { type EventDeps, eventRoutes, eventStreams } from './routes.ts';

interface Needs extends EventDeps, FollowDeps {}

export const resource = {
  tables: ['events'],
  // Finds the events of a tenant by the records that belong to it.
  joins: ['tenants', 'definitions', 'instances', 'deployments', 'backups', 'executions', 'migrations'],
  wire: ({ storage, pages, reader, feed }: Needs) => ({
    handlers: eventRoutes({ storage, pages }),
    liveHandlers: eventStreams({ reader, feed }),
  }),
} satisfies Resource<Needs>;
