import { CHANNEL_TOPIC } from '../channel/waker.ts';
import { AddressGuard } from '../outbound/address-guard.ts';
import { Quotas, type RequireRoom } from '../quotas/quotas.ts';
import { isNodeLost } from '../resources/clusters/nodes/nodes.ts';
import { Connections } from '../resources/connections/service.ts';
import { usedBy } from '../resources/definitions/public.ts';
import { SecretChanges } from '../resources/definitions/secret-changes.ts';
import { Drafts } from '../resources/drafts/service.ts';
import { TemplateTests } from '../resources/drafts/tests.ts';
import { EventFeed } from '../resources/events/feed.ts';
import { Keys } from '../resources/keys/service.ts';
import { Pages } from '../storage/page.ts';
import type { Tx } from '../storage/storage.ts';
import type { BaseDependencies, SharedDependencies } from './dependencies.ts';
import { type DeploymentsMade, makeDeployments } from './deployments.ts';
import { makeGardens } from './gardens.ts';
import { type MovesMade, makeMoves } from './moves.ts';
import { makeNotifications } from './notifications.ts';
import { makeObservation } from './observation.ts';
import { instanceOverviewOf, overviewOf } from './overview.ts';
import { makeServers } from './servers.ts';
import { makeUpgrades } from './upgrades.ts';

/**
 * Creates the services that other resources use, and connects them; a service that only its own handlers use is created
 * in its `resource.ts`. Those that call each other are created together: `servers.ts` has servers,
 * registries and manifests; `deployments.ts` has definitions, deployments, instances, actions and backups; `moves.ts`
 * has transfers, migrations, tenants, exports and imports. Each of the three receives the ones before it, and notifies
 * the ones after it by the notices below, which look them up only when they are called. `upgrades.ts` and `observation.ts`
 * use these; the others are created here.
 */
export async function makeServices(base: BaseDependencies) {
  const { config, storage, vault, catalog, work } = base;
  const { reader } = storage;
  const pages = new Pages(Date.now, base.storage.allowLag);
  const guard = new AddressGuard({ allowPrivate: config.webhookAllowPrivate });
  const wake = (tx: Tx, serverId: string) => tx.notify(CHANNEL_TOPIC, serverId);
  const quotas = new Quotas(config.quotas);
  const requireRoom: RequireRoom = (tx, ...args) => quotas.requireRoom(tx, ...args);
  const shared: SharedDependencies = { ...base, pages, quotas, wake };

  const serversMade = await makeServers(shared, {
    stopEvacuation: (tx, ...args) => evacuations.cancelOf(tx, ...args),
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
      async regain(tx, serverId, by) {
        await instances.regain(tx, serverId, by);
        await deployments.serverReturned(tx, serverId);
      },
    },
  });
  const { servers } = serversMade;

  const deploymentsMade: DeploymentsMade = makeDeployments(shared, serversMade, {
    acted: (tx, instanceId) => migrations.acted(tx, instanceId),
    elsewhere: (tx, ...args) => migrations.arrived(tx, ...args),
    deployed: (tx, instanceId) => tenants.deployed(tx, instanceId),
  });
  const { definitions, deployments, instances, actions } = deploymentsMade;

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

  const upgradesMade = makeUpgrades(shared, serversMade, deploymentsMade);
  const observationMade = makeObservation(shared, serversMade, deploymentsMade);
  const notificationsMade = makeNotifications(shared, guard);
  const webhooks = { storage, vault, guard, pages, requireRoom };
  const gardensMade = makeGardens(shared, serversMade, deploymentsMade, notificationsMade, drafts, webhooks);
  const connections = new Connections({ reader, pages, vault, requireRoom, usedBy });
  const keys = new Keys({ storage, pages, requireRoom, mode: config.mode });

  const feed = new EventFeed({ reader, log: base.log });
  const secretChanges = new SecretChanges({ definitions, reader, vault, catalog });
  const lists = { ...deploymentsMade, ...observationMade, ...upgradesMade, servers, tenants, webhooks, catalog };

  return {
    ...shared,
    reader,
    guard,
    feed,
    secretChanges,
    isNodeLost,
    overview: overviewOf(lists, config),
    instanceOverview: instanceOverviewOf(lists),
    ...serversMade,
    ...deploymentsMade,
    ...movesMade,
    ...upgradesMade,
    ...observationMade,
    ...notificationsMade,
    ...gardensMade,
    webhooks,
    connections,
    tests,
    drafts,
    keys,
  };
}

/** Everything that a resource may name among its needs. */
export type Services = Awaited<ReturnType<typeof makeServices>>;
