import type { Config } from '../../config/config-fields.ts';
import type { AgentBuilder } from '../../process/agent-builder.ts';
import type { Resource } from '../../resource.ts';
import type { Agents } from './agents.ts';
import { implantRoutes } from './routes.ts';

interface Needs {
  readonly config: Pick<Config, 'publicUrl'>;
  readonly agents: Agents;
  readonly agentBuilder?: AgentBuilder;
}

export const resource = {
  wire: ({ config, agents, agentBuilder }: Needs) => ({
    handlers: implantRoutes(agents, config.publicUrl, agentBuilder),
  }),
} satisfies Resource<Needs>;
