import { CHANNEL_TOPIC } from '../channel/waker.ts';
import type { Config } from '../config.ts';
import type { Passwords } from '../identity/passwords.ts';
import { newServerKey } from '../identity/tokens.ts';
import type { Log } from '../log.ts';
import { AddressGuard } from '../outbound/address-guard.ts';
import { Actions } from '../resources/actions/service.ts';
import { Endings } from '../resources/backups/endings.ts';
import { planBackups } from '../resources/backups/schedule.ts';
import { Backups } from '../resources/backups/service.ts';
import { diskFree } from '../resources/capacity/disk.ts';
import { Capacities } from '../resources/capacity/service.ts';
import { UsageMeter } from '../resources/copilot/usage.ts';
import { definitionById, holdDefinition, revisionOf, secretValues } from '../resources/definitions/deployable.ts';
import { definitionsOfTenants, holdDefinitionsOf } from '../resources/definitions/of-tenant.ts';
import { relocateDefinition } from '../resources/definitions/relocation.ts';
import { Definitions, definitionsOn, isPlantedFrom, plantedOn } from '../resources/definitions/service.ts';
import { healSoon } from '../resources/deployments/heal.ts';
import { DeploymentsElsewhere } from '../resources/deployments/on-another-server.ts';
import { hasOwnData } from '../resources/deployments/own-data.ts';
import { Planning } from '../resources/deployments/planning.ts';
import { Preparations } from '../resources/deployments/preparation.ts';
import { deploymentFor, stopDeployments, underWay } from '../resources/deployments/queue.ts';
import { DeploymentReports } from '../resources/deployments/reports.ts';
import { Deployments } from '../resources/deployments/service.ts';
import { Drafts } from '../resources/drafts/service.ts';
import { TemplateTests } from '../resources/drafts/tests.ts';
import { Exports } from '../resources/imports/exports.ts';
import { Imports } from '../resources/imports/service.ts';
import { idsByUid } from '../resources/instances/by-uid.ts';
import { Drifts, type DriftsDeps } from '../resources/instances/drift.ts';
import { lockDrifted } from '../resources/instances/drifted.ts';
import { holdLiving, livingOf } from '../resources/instances/of-definition.ts';
import { instancesOfTenants, membershipOf, Pauses } from '../resources/instances/of-tenant.ts';
import { deployedOn, runningOn, toMoveFrom } from '../resources/instances/on-server.ts';
import { InstanceOrders } from '../resources/instances/orders.ts';
import { Instances } from '../resources/instances/service.ts';
import { Keys } from '../resources/keys/service.ts';
import { ManifestReading } from '../resources/manifest/reading.ts';
import { Manifests } from '../resources/manifest/service.ts';
import { openManifestSigner } from '../resources/manifest/signer.ts';
import { Metrics } from '../resources/metrics/service.ts';
import { Migrations } from '../resources/migrations/service.ts';
import { Registries } from '../resources/registries/service.ts';
import { Liveness } from '../resources/servers/liveness/liveness.ts';
import { Prunes } from '../resources/servers/prune.ts';
import { Servers } from '../resources/servers/service.ts';
import type { Catalog } from '../resources/templates/catalog.ts';
import { Tenants } from '../resources/tenants/service.ts';
import { Transfers } from '../resources/transfers/service.ts';
import { applicationGround } from '../resources/upgrades/application-ground.ts';
import { UpgradeApplication } from '../resources/upgrades/apply.ts';
import { Upgrades, withdrawOffers } from '../resources/upgrades/service.ts';
import { Pages } from '../storage/page.ts';
import type { Storage, Tx } from '../storage/storage.ts';
import type { Vault } from '../vault/vault.ts';

export interface Ground {
  readonly config: Config;
  readonly log: Log;
  readonly version: string;
  readonly replica: string;
  readonly storage: Storage;
  readonly vault: Vault;
  readonly passwords: Passwords;
  readonly catalog: Catalog;
}

/** Makes the resources and ties them to one another; each names what it needs of others, and gets it here. */
export async function makeResources(ground: Ground) {
  const { config, log, replica, storage, vault, catalog } = ground;
  const { reader } = storage;
  const pages = new Pages();
  const guard = new AddressGuard({ allowPrivate: config.webhookAllowPrivate });
  const wake = (tx: Tx, serverId: string) => tx.notify(CHANNEL_TOPIC, serverId);

  const secretsOf: DriftsDeps['secretsOf'] = async (queries, owner) =>
    (await secretValues(queries, vault, owner)).map(({ value }) => value);

  const registries = new Registries({ reader, pages, vault });
  const manifests = new Manifests({
    catalog,
    vault,
    signer: await openManifestSigner(storage, vault),
    loginsFor: (...of) => registries.loginsFor(...of),
  });
  const servers = new Servers({
    reader,
    pages,
    vault,
    issueKey: () => newServerKey(config.mode),
    manifestKey: () => manifests.publicKey(),
    inUse: async (tx, id) => ({ definitions: await definitionsOn(tx, id), instances: await runningOn(tx, id) }),
    async abandon(tx, principal, id) {
      await definitions.archiveAllOn(tx, principal, id);
      await instances.lose(tx, id);
    },
  });
  const server = servers.standing.bind(servers);
  const liveness: Liveness = new Liveness({
    storage,
    replica,
    log,
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
  const heard = (serverId: string) => liveness.heard(serverId);
  const prunes = new Prunes({
    livingOn: async (queries, id) => {
      const there = (await toMoveFrom(queries, id)).map(({ instance_uid }) => instance_uid);
      return [...new Set([...there, ...(await plantedOn(queries, id))])];
    },
    order: (tx, order) => actions.orderOnServer(tx, order),
  });
  const holdServer = (tx: Tx, accountId: string, id: string) => servers.hold(tx, accountId, id);
  const planning = new Planning({ reader, server, manifests });
  const deployments = new Deployments({
    reader,
    pages,
    server,
    manifests,
    planning,
    requireBackup: (tx, ...of) => backups.requireDeclared(tx, ...of, 'backup_first'),
    backupFor: (tx, ...of) => backups.dataOf(tx, ...of),
    prepare: (tx, row) => preparations.begin(tx, row),
    wake,
    deployedOn,
    holdServer,
    heard,
  });
  const preparations = new Preparations({
    storage,
    wake,
    async backUp(tx, row, ownData) {
      const ordered = await backups.beforeDeployment(tx, row, ownData);
      return ordered && { backupId: ordered.backup.id, executionId: ordered.execution.id };
    },
    async putBack(tx, row, ownData) {
      const { backup, execution } = await backups.returnFor(tx, row, ownData);
      return { backupId: backup.id, executionId: execution.id };
    },
    execution: (queries, id) => actions.standing(queries, id),
  });
  const instances: Instances = new Instances({
    reader,
    pages,
    catalog,
    order: (tx, order) => actions.order(tx, order),
    withdraw: (tx, ...of) => actions.withdraw(tx, ...of),
    deploymentsOf: (principal, filter, request) => deployments.list(principal, filter, request),
  });
  const actions: Actions = new Actions({
    storage,
    pages,
    vault,
    catalog,
    instances,
    manifestOf: (...of) => manifests.resolve(...of),
    backupEnded: (tx, ended) => endings.ended(tx, ended),
    ended: async (tx, { id, instance_id }) => {
      await preparations.executionEnded(tx, id);
      if (instance_id !== null) await migrations.acted(tx, instance_id);
    },
    secretsOf,
  });
  const backups = new Backups({
    reader,
    pages,
    vault,
    catalog,
    instances,
    order: (tx, order) => actions.order(tx, order),
  });
  const endings = new Endings(backups);
  const drifts = new Drifts({ reader, instances, secretsOf, heal: healSoon });
  const orders = new InstanceOrders({
    instances,
    catalog,
    order: (tx, order) => actions.order(tx, order),
    done: (tx, order) => actions.done(tx, order),
  });
  const reports = new DeploymentReports({
    reader,
    vault,
    instances: {
      ensure: (tx, of) => instances.ensure(tx, of),
      report: (tx, scope, reported) => instances.report(tx, scope, reported),
      releaseAll: (tx, ...of) => instances.releaseAll(tx, ...of),
      async deployed(tx, instanceId, facts) {
        await instances.deployed(tx, instanceId, facts);
        await tenants.deployed(tx, instanceId);
      },
    },
    manifests,
    hasPublishedDaemon: (...of) => servers.hasPublishedDaemon(...of),
    elsewhere: (tx, ...of) => migrations.arrived(tx, ...of),
    wake,
    heard,
  });
  const endDeployments = stopDeployments(wake);
  const definitions = new Definitions({
    reader,
    pages,
    catalog,
    vault,
    hasServer: (tx, accountId, id) => servers.has(tx, accountId, id),
    planBackups,
    stopDeployments: endDeployments,
    releaseAll: (tx, id, actor) => instances.releaseAll(tx, id, actor),
    async healLiving(tx, id) {
      const drifted = await lockDrifted(tx, id);
      if (drifted) await healSoon(tx, drifted);
    },
    keepAll: (tx, id, actor) => instances.keepAll(tx, id, actor),
  });
  const pauses = new Pauses({
    lastWanted: (...of) => actions.lastWanted(...of),
    order: (tx, order) => actions.order(tx, order),
    withdraw: (tx, ...of) => actions.withdraw(tx, ...of),
  });
  const transfers = new Transfers({
    storage,
    pages,
    sign: (order) => manifests.signOrder(order),
    wake,
    opening: (...of) => backups.opening(...of),
    moved: async (tx, transfer) => {
      if (transfer.migration_id !== null) await migrations.carried(tx, transfer.migration_id);
      await imports.carried(tx, transfer);
    },
  });
  const migrations: Migrations = new Migrations({
    storage,
    pages,
    ground: {
      server,
      definitions: {
        find: definitionById,
        hold: holdDefinition,
        revision: revisionOf,
        relocate: relocateDefinition,
      },
      manifest: async (queries, { account_id, id }, revision) =>
        (await manifests.resolve(queries, account_id, id, revision)).manifest,
      instances: {
        living: livingOf,
        hold: holdLiving,
        stop: (tx, ...of) => pauses.pause(tx, ...of),
        start: (tx, definitionId, instanceId, actor) => pauses.unpause(tx, definitionId, new Set([instanceId]), actor),
        relocate: (tx, ...of) => instances.relocate(tx, ...of),
      },
      executions: {
        order: (tx, order) => actions.order(tx, order),
        find: (...of) => actions.standing(...of),
        latest: (...of) => actions.latest(...of),
      },
      deployments: new DeploymentsElsewhere(wake),
      transfers,
      tenants: { settle: (tx, ...of) => tenants.settle(tx, ...of) },
      capacity: {
        require: async (tx, definition, server_id, revision) =>
          deployments.requireRoom(tx, {
            definition: { ...definition, server_id },
            revision: await revisionOf(tx, definition.id, revision),
          }),
        diskFree,
      },
      graceMs: config.migrationGraceMinutes * 60_000,
    },
  });
  const tenants: Tenants = new Tenants({
    migrate: (tx, ...of) => migrations.order(tx, ...of),
    reader,
    pages,
    hasServer: (tx, accountId, id) => servers.has(tx, accountId, id),
    definitions: {
      hold: holdDefinitionsOf,
      archive: (tx, principal, id) => definitions.archive(tx, principal, id),
      stopDeployments: (tx, id, actor) => endDeployments(tx, id, actor, { runningToo: true }),
      count: definitionsOfTenants,
    },
    instances: {
      pause: (tx, ...of) => pauses.pause(tx, ...of),
      unpause: (tx, ...of) => pauses.unpause(tx, ...of),
      membership: membershipOf,
      count: instancesOfTenants,
    },
  });
  const usage = new UsageMeter(storage, config.assistantLimits);
  const upgrades = new Upgrades({
    storage,
    pages,
    catalog,
    hasInstance: (accountId, id) => instances.has(accountId, id),
  });
  const applicationSteps = applicationGround({
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
  const application = new UpgradeApplication({ ...applicationSteps, reader, vault, catalog });
  const reading = new ManifestReading({
    manifests,
    allowPlaintext: config.allowPlaintextManifest,
    deployment: deploymentFor,
    underWay,
  });

  const tests = new TemplateTests({
    reader,
    pages,
    catalog,
    serversForTests: (queries, accountId) => servers.forTests(queries, accountId),
    async plant(tx, principal, order) {
      const { id: definitionId } = await definitions.create(tx, principal, order);
      const { id: deploymentId } = await deployments.execute(tx, principal, { definition_id: definitionId });
      return { definitionId, deploymentId };
    },
  });

  const drafts = new Drafts((tx, row) => tests.requirePassed(tx, row));
  const manifestOf = async (...of: Parameters<Manifests['resolve']>) => (await manifests.resolve(...of)).manifest;
  const carrying = { storage, vault, catalog, server, transfers, manifest: manifestOf };
  const exports = new Exports({ ...carrying, backups, allowPlaintext: config.allowPlaintextManifest });
  const using = { isPlanted: isPlantedFrom, withdrawOffers };
  const imports: Imports = new Imports({ ...carrying, ...using, pages, drafts, definitions, deployments, diskFree });

  const metrics = new Metrics({
    reader,
    requireInstance: (principal, id) => instances.find(reader, principal, id),
    idsByUid,
  });
  const capacities = new Capacities({
    reader,
    pages,
    identify: (tx, ...of) => servers.identify(tx, ...of),
    recordUsage: (tx, ...of) => metrics.record(tx, ...of),
  });
  const keys = new Keys({ storage, pages, mode: config.mode });

  return {
    pages,
    guard,
    wake,
    registries,
    manifests,
    servers,
    server,
    liveness,
    prunes,
    planning,
    deployments,
    preparations,
    instances,
    actions,
    backups,
    drifts,
    orders,
    reports,
    definitions,
    transfers,
    migrations,
    tenants,
    usage,
    upgrades,
    applicationSteps,
    application,
    reading,
    tests,
    drafts,
    exports,
    imports,
    metrics,
    capacities,
    keys,
  };
}

export type Made = Awaited<ReturnType<typeof makeResources>>;
