import type { Resource } from '../../resource.ts';
import { logRoutes, logStreams } from './routes.ts';
import type { Logs } from './service.ts';

interface Needs {
  readonly logs: Logs;
}

export const resource = {
  wire: ({ logs }: Needs) => ({ handlers: logRoutes(logs), liveHandlers: logStreams(logs) }),
} satisfies Resource<Needs>;
