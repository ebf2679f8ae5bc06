import type { EndpointName, LiveName } from '@hortus/contract/endpoints';
import type { Connection } from '../channel/connection.ts';
import type { Protect } from '../channel/protect.ts';
import type { Handlers, LiveHandlers } from '../http/handler.ts';
import type { RawRoute } from '../http/raw-routes.ts';
import type { JobKind } from '../jobs/job.ts';
import type { EventSubscriber } from '../outbox/dispatcher.ts';
import type { Leadership } from '../resources/clusters/leadership.ts';
import { recordUpdateReport } from '../resources/daemon-updates/reports.ts';
import { deploymentStreams } from '../resources/deployments/routes.ts';
import { wakeTests } from '../resources/drafts/test-job.ts';
import { wakeEvacuations } from '../resources/evacuations/job.ts';
import { EventFeed } from '../resources/events/feed.ts';
import { eventStreams } from '../resources/events/routes.ts';
import { wakeGardens } from '../resources/gardens/apply-job.ts';
import { wakeFollowed } from '../resources/gardens/following/follow-job.ts';
import { logStreams } from '../resources/logs/routes.ts';
import { metricStreams } from '../resources/metrics/routes.ts';
import { wakeRules } from '../resources/notifications/events/subscriber.ts';
import { wakeRehearsals } from '../resources/rehearsals/job.ts';
import type { ActionReport, DaemonChannelDeps } from '../resources/servers/daemon-channel.ts';
import type { Liveness } from '../resources/servers/liveness/liveness.ts';
import type { Shells } from '../resources/shells/service.ts';
import type { Transfers } from '../resources/transfers/service.ts';
import { wakeUpgrades } from '../resources/upgrades/apply-job.ts';
import { fanOut } from '../resources/webhooks/fan-out.ts';
import type { BaseDependencies } from './dependencies.ts';
import { handlersOf } from './handlers.ts';
import { jobsOf } from './jobs.ts';
import { makeResources } from './resources.ts';

/** What the resources provide to the generic parts of the service. */
export interface Wired {
  readonly handlers: Handlers<EndpointName>;
  readonly liveHandlers: LiveHandlers<LiveName>;
  readonly rawRoutes: readonly RawRoute[];
  /** Reads new events for their followers; started and stopped with the service. */
  readonly feed: EventFeed;
  readonly jobs: Readonly<Record<string, JobKind>>;
  readonly subscribers: readonly EventSubscriber[];
  readonly liveness: Liveness;
  readonly leadership: Leadership;
  readonly transfers: Transfers;
  readonly shells: Shells;
  readonly protect: Protect;
  /** Sends a daemon its pending work. */
  readonly dispatch: (connection: Connection) => Promise<void>;
  /** Sends an execution that is already marked as sent. */
  readonly sendMarked: (executionId: string) => Promise<void>;
  readonly deploymentWaits: DaemonChannelDeps['deploymentWaits'];
  readonly serversWithWork: DaemonChannelDeps['serversWithWork'];
  readonly updateReported: NonNullable<DaemonChannelDeps['updateReported']>;
  /** Records a daemon's report on an execution. */
  readonly report: (connection: Connection, message: ActionReport) => Promise<void>;
}

/** Wires the resources. */
export async function wireResources(base: BaseDependencies): Promise<Wired> {
  const made = await makeResources(base);
  const { actions, deployments, liveness, transfers, updateOrders } = made;
  const { reader } = base.storage;
  const feed = new EventFeed({ reader, log: base.log });
  return {
    liveness,
    leadership: made.leadership,
    transfers,
    shells: made.shells,
    protect: made.protect,
    async dispatch(connection) {
      await actions.dispatch(connection.serverId, connection);
      await updateOrders.dispatch(connection);
    },
    sendMarked: (executionId) => actions.sendMarked(executionId),
    updateReported: ({ serverId }, report) => recordUpdateReport(base.storage, serverId, report),
    deploymentWaits: (serverId) => deployments.hasWorkFor(reader, serverId),
    serversWithWork: async (epochOf) => [
      ...(await deployments.serversWithWork(reader)),
      ...(await actions.serversWithWork(reader, epochOf)),
      ...(await transfers.serversWithWork()),
      ...(await updateOrders.serversWithWork(epochOf)),
    ],
    report: ({ serverId }, message) => {
      if (message.type === 'action_started') return actions.started(serverId, message.execution_id);
      return message.type === 'action_completed'
        ? actions.completed(serverId, message)
        : actions.failed(serverId, message);
    },
    subscribers: [
      fanOut,
      wakeTests,
      wakeUpgrades,
      wakeRehearsals,
      wakeEvacuations,
      wakeGardens,
      wakeFollowed,
      wakeRules,
    ],
    jobs: jobsOf(base, made),
    handlers: handlersOf(base, made),
    rawRoutes: [made.gardenPush],
    liveHandlers: {
      ...eventStreams({ reader, feed }),
      ...logStreams(made.logs),
      ...metricStreams(made.liveMetrics),
      ...deploymentStreams(deployments),
    },
    feed,
  };
}
