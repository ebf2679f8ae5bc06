import { CHANNEL_TOPIC } from '../channel/waker.ts';
import { guardWith } from '../guard.ts';
import { AddressGuard } from '../outbound/address-guard.ts';
import { Quotas, type RequireRoom } from '../quotas/quotas.ts';
import { Capacities } from '../resources/capacity/service.ts';
import { Confirmations } from '../resources/confirmations/service.ts';
import { Connections } from '../resources/connections/service.ts';
import { UsageMeter } from '../resources/copilot/usage.ts';
import { usedBy } from '../resources/definitions/public.ts';
import { hasOwnData } from '../resources/deployments/own-data.ts';
import { Drafts } from '../resources/drafts/service.ts';
import { TemplateTests } from '../resources/drafts/tests.ts';
import { idsByUid } from '../resources/instances/by-uid.ts';
import { livingWithNamesOn } from '../resources/instances/public.ts';
import { Keys } from '../resources/keys/service.ts';
import { LogFeeds } from '../resources/logs/feed.ts';
import { LogPages } from '../resources/logs/pages.ts';
import { Logs, type LogsDeps } from '../resources/logs/service.ts';
import { LiveMetrics } from '../resources/metrics/live.ts';
import { Metrics } from '../resources/metrics/service.ts';
import { requireSettled } from '../resources/migrations/settled.ts';
import { progressDeps } from '../resources/rehearsals/progress-deps.ts';
import { Rehearsals } from '../resources/rehearsals/service.ts';
import { Shells } from '../resources/shells/service.ts';
import { UpgradeApplication } from '../resources/upgrades/apply.ts';
import { wakeUpgradeAfter } from '../resources/upgrades/apply-job.ts';
import { Upgrades } from '../resources/upgrades/service.ts';
import { stepDeps } from '../resources/upgrades/step-deps.ts';
import { Pages } from '../storage/page.ts';
import type { Tx } from '../storage/storage.ts';
import type { BaseDependencies, SharedDependencies } from './dependencies.ts';
import { type DeploymentsMade, makeDeployments } from './deployments.ts';
import { makeGardens } from './gardens.ts';
import { type MovesMade, makeMoves } from './moves.ts';
import { makeNotifications } from './notifications.ts';
import { makeServers } from './servers.ts';

/**
 * Creates and connects the resources. Those that call each other are created together: `servers.ts` has servers,
 * registries and manifests; `deployments.ts` has definitions, deployments, instances, actions and backups; `moves.ts`
 * has transfers, migrations, tenants, exports and imports. Each of the three receives the ones before it, and notifies
 * the ones after it by the notices below, which look them up only when they are called. The others are created here.
 */
export async function makeResources(base: BaseDependencies) {
  const { config, storage, vault, catalog, work } = base;
  const { reader } = storage;
  const pages = new Pages(Date.now, base.storage.allowLag);
  const guard = new AddressGuard({ allowPrivate: config.webhookAllowPrivate });
  const wake = (tx: Tx, serverId: string) => tx.notify(CHANNEL_TOPIC, serverId);
  const quotas = new Quotas(config.quotas);
  const requireRoom: RequireRoom = (tx, ...of) => quotas.requireRoom(tx, ...of);
  const shared: SharedDependencies = { ...base, pages, quotas, wake };

  const serversMade = await makeServers(shared, {
    stopEvacuation: (tx, ...of) => evacuations.cancelOf(tx, ...of),
    async abandon(tx, principal, serverId) {
      await definitions.archiveAllOn(tx, principal, serverId);
      await instances.lose(tx, serverId);
    },
    async interrupted(tx, serverId) {
      await actions.interrupt(tx, serverId);
      await deployments.interrupt(tx, serverId);
    },
    instances: {
      async lose(tx, serverId) {
        await instances.lose(tx, serverId);
        await actions.pause(tx, serverId);
      },
      async regain(tx, serverId) {
        await instances.regain(tx, serverId);
        await deployments.serverReturned(tx, serverId);
      },
    },
  });
  const { servers, server } = serversMade;

  const deploymentsMade: DeploymentsMade = makeDeployments(shared, serversMade, {
    acted: (tx, instanceId) => migrations.acted(tx, instanceId),
    elsewhere: (tx, ...of) => migrations.arrived(tx, ...of),
    deployed: (tx, instanceId) => tenants.deployed(tx, instanceId),
  });
  const { definitions, deployments, instances, actions, backups } = deploymentsMade;

  const tests = new TemplateTests({
    reader,
    pages,
    catalog,
    work,
    serversForTests: (queries, accountId) => servers.forTests(queries, accountId),
    async deploy(tx, principal, order) {
      const { id: definitionId } = await definitions.create(tx, principal, order);
      const { id: deploymentId } = await deployments.execute(tx, principal, { definition_id: definitionId });
      return { definitionId, deploymentId };
    },
  });
  const requireTested = (tx: Tx, row: Parameters<typeof tests.requirePassed>[1]) => tests.requirePassed(tx, row);
  const drafts = new Drafts({ reader, work, requireTested, requireRoom });

  const movesMade: MovesMade = makeMoves(shared, serversMade, deploymentsMade, drafts);
  const { migrations, tenants, evacuations } = movesMade;

  const upgrades = new Upgrades({
    storage,
    pages,
    catalog,
    work,
    hasInstance: (accountId, id) => instances.has(accountId, id),
  });
  const rehearsalProgress = progressDeps({
    ...deploymentsMade,
    catalog,
    server,
    ended: (tx, { id }) => wakeUpgradeAfter(tx, id),
  });
  const rehearsals = new Rehearsals({
    reader,
    pages,
    vault,
    catalog,
    work,
    progress: rehearsalProgress,
    definitions,
    instances,
    backups,
    server,
    resolve: (tx, ...of) => serversMade.manifests.resolve(tx, ...of),
    requireSettled,
    hasOwnData,
  });
  const applicationSteps = stepDeps({
    rehearsal: (queries, ...of) => rehearsals.outcome(queries, ...of),
    server,
    deployments,
    actions,
    catalog,
    async backup(tx, principal, { instance_id, definition_id }) {
      const ownData = await hasOwnData(tx, definition_id);
      const ordered = await backups.beforeChange(tx, principal, instance_id, ownData);
      return ordered && { backupId: ordered.backup.id, executionId: ordered.execution.id };
    },
  });
  const application = new UpgradeApplication({ ...applicationSteps, rehearsals, reader, vault, catalog, work });

  const logStanding: LogsDeps['standing'] = ({ accountId, serverId }) => server(reader, accountId, serverId);
  const logs = new Logs({
    async target(principal, id) {
      const { account_id, server_id, container_name } = await instances.find(reader, principal, id);
      return { accountId: account_id, serverId: server_id, instance: container_name };
    },
    standing: logStanding,
    pages: new LogPages(base.streams, guardWith(base.log)),
    feeds: new LogFeeds({
      streams: base.streams,
      standing: logStanding,
      guard: guardWith(base.log),
      log: base.log,
    }),
  });
  const shells = new Shells({
    storage,
    pages,
    vault,
    async place(queries, principal, id) {
      const { account_id, server_id, container_name } = await instances.find(queries, principal, id);
      return { accountId: account_id, serverId: server_id, instance: container_name };
    },
    standing: (queries, { accountId, serverId }) => server(queries, accountId, serverId),
  });
  const metrics = new Metrics({
    reader,
    requireInstance: (principal, id) => instances.find(reader, principal, id),
    idsByUid,
  });
  const capacities = new Capacities({
    reader,
    pages,
    identify: (tx, ...of) => servers.identify(tx, ...of),
    recordNetworks: (tx, ...of) => servers.recordNetworks(tx, ...of),
    recordUsage: (tx, ...of) => metrics.record(tx, ...of),
  });
  const liveMetrics = new LiveMetrics({
    reader,
    streams: base.streams,
    standing: ({ accountId, serverId }) => server(reader, accountId, serverId),
    capacity: ({ accountId, serverId }) => capacities.latest(accountId, serverId),
    instancesOn: (serverId) => livingWithNamesOn(reader, serverId),
    serverOf: async (principal, id) => (await instances.find(reader, principal, id)).server_id,
    guard: guardWith(base.log),
    log: base.log,
  });
  const notificationsMade = makeNotifications(shared, guard);
  const webhooks = { storage, vault, guard, pages, requireRoom };
  const gardensMade = makeGardens(shared, serversMade, deploymentsMade, notificationsMade, drafts, webhooks);
  const connections = new Connections({ reader, pages, vault, requireRoom, usedBy });
  const keys = new Keys({ storage, pages, requireRoom, mode: config.mode });
  const confirmations = new Confirmations({ storage, pages, publicUrl: config.publicUrl, invoke: base.invoke });
  const usage = new UsageMeter(storage, config.assistantLimits);

  return {
    pages,
    quotas,
    guard,
    wake,
    ...serversMade,
    ...deploymentsMade,
    ...movesMade,
    ...notificationsMade,
    ...gardensMade,
    webhooks,
    connections,
    tests,
    drafts,
    upgrades,
    rehearsals,
    rehearsalProgress,
    applicationSteps,
    application,
    logs,
    shells,
    metrics,
    liveMetrics,
    capacities,
    keys,
    confirmations,
    usage,
  };
}

export type Made = Awaited<ReturnType<typeof makeResources>>;
