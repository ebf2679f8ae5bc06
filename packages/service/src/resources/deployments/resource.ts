import type { Resource } from '../../resource.ts';
import { DEADLINE, type DeadlineDeps, deadlineJob } from './deadline.ts';
import { HEAL, healJob } from './heal.ts';
import type { Planning } from './planning.ts';
import type { Preparations } from './preparation.ts';
import { PREPARE } from './queue.ts';
import type { DeploymentReports } from './reports.ts';
import { removeLogLines } from './retention.ts';
import { deploymentRoutes, deploymentStreams, type ResolveOrder } from './routes.ts';
import type { Deployments } from './service.ts';

interface Needs extends DeadlineDeps {
  readonly deployments: Deployments;
  readonly reports: DeploymentReports;
  readonly planning: Planning;
  readonly preparations: Preparations;
  readonly definitions: { readonly order: ResolveOrder };
}

export const resource = {
  tables: ['deployments', 'deployment_logs', 'route_claims'],
  retention: ({ logs }) => [{ name: 'log lines', days: logs, remove: removeLogLines }],
  wire: ({ storage, server, manifests, wake, deployments, reports, planning, preparations, definitions }: Needs) => ({
    handlers: deploymentRoutes(deployments, reports, planning, (...args) => definitions.order(...args)),
    liveHandlers: deploymentStreams(deployments),
    jobs: {
      [HEAL]: healJob({ storage, order: (tx, ...args) => deployments.heal(tx, ...args) }),
      [DEADLINE]: deadlineJob({ storage, server, manifests, wake }),
      [PREPARE]: preparations.job(),
    },
  }),
} satisfies Resource<Needs>;
