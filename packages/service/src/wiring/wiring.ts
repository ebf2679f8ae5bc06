import type { EndpointName, LiveName } from '@hortus/contract/endpoints';
import type { Connection } from '../channel/connection.ts';
import type { Protect } from '../channel/protect.ts';
import type { Handlers, LiveHandlers } from '../http/handler.ts';
import { healthRoutes } from '../http/health.ts';
import type { RawRoute } from '../http/raw-routes.ts';
import type { JobKind } from '../jobs/job.ts';
import { MAIL, mailJob } from '../mail/account-mail.ts';
import type { EventSubscriber } from '../outbox/dispatcher.ts';
import type { Leadership } from '../resources/clusters/leadership.ts';
import { recordUpdateReport } from '../resources/daemon-updates/reports.ts';
import type { EventFeed } from '../resources/events/feed.ts';
import type { ActionReport, DaemonChannelDeps } from '../resources/servers/daemon-channel.ts';
import type { Liveness } from '../resources/servers/liveness/liveness.ts';
import type { Shells } from '../resources/shells/service.ts';
import type { Transfers } from '../resources/transfers/service.ts';
import { RETENTION, retentionJob } from '../retention/job.ts';
import { contributionsOf, subscribers } from './contributions.ts';
import type { BaseDependencies } from './dependencies.ts';
import { retentionRules } from './retention-rules.ts';
import { makeServices } from './services.ts';

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
  /** Signs an order that is not sent over the channel. */
  readonly signOrder: <Order extends object>(order: Order) => Order & { readonly signature: string };
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
  const { config, log, version, storage, vault } = base;
  const { reader } = storage;
  const services = await makeServices(base);
  const { actions, deployments, liveness, transfers, updateOrders, mailer } = services;
  const contributed = contributionsOf(services);
  return {
    liveness,
    leadership: services.leadership,
    transfers,
    shells: services.shells,
    protect: services.protect,
    signOrder: (order) => services.manifests.signOrder(order),
    async dispatch(connection) {
      await actions.dispatch(connection.serverId, connection);
      await updateOrders.dispatch(connection);
    },
    sendMarked: (executionId) => actions.sendMarked(executionId),
    updateReported: ({ serverId }, report) => recordUpdateReport(storage, serverId, report),
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
    subscribers,
    jobs: {
      ...contributed.jobs,
      [RETENTION]: retentionJob({ storage, rules: retentionRules(config.retention), log }),
      ...(mailer && { [MAIL]: mailJob(storage, vault, mailer) }),
    },
    handlers: { ...healthRoutes(version), ...contributed.handlers },
    rawRoutes: contributed.rawRoutes,
    liveHandlers: contributed.liveHandlers,
    feed: services.feed,
  };
}
