import { randomBytes } from 'node:crypto';
import { getCompileCacheDir } from 'node:module';
import type { DeploymentStatusReport, DeployReport } from '@hortus/contract/resources/deployment-reports';
import type { ReportedInstance } from '@hortus/contract/resources/instance-records';
import { loadCachedCatalog } from '@hortus/template/catalog/cached-catalog';
import { openLocalBus } from '../../../bus/local-bus.ts';
import { type Principal, unlimited } from '../../../identity/principal.ts';
import type { JobRun } from '../../../jobs/job.ts';
import { JobWorker } from '../../../jobs/worker.ts';
import { newId } from '../../../records/ids.ts';
import { Pages } from '../../../storage/page.ts';
import { insertRow } from '../../../storage/status-columns.ts';
import type { Storage, Tx } from '../../../storage/storage.ts';
import { sharedCatalog } from '../../../testing/catalog-folder.ts';
import type { Engine } from '../../../testing/engines.ts';
import { QuietLog } from '../../../testing/quiet-log.ts';
import { insertAccount, serverRow } from '../../../testing/rows.ts';
import { openVault } from '../../../vault/vault.ts';
import { onThisThread } from '../../../workers/testing/on-this-thread.ts';
import { planBackups } from '../../backups/schedule.ts';
import { Footprints } from '../../capacity/public.ts';
import { Definitions } from '../../definitions/service.ts';
import { definitionOfInstance, livingOn } from '../../instances/public.ts';
import { ManifestReading } from '../../manifest/reading.ts';
import { Manifests } from '../../manifest/service.ts';
import { openManifestSigner } from '../../manifest/signer.ts';
import { requireSettled } from '../../migrations/settled.ts';
import { Registries } from '../../registries/service.ts';
import { ingressPortsOf } from '../../servers/addresses.ts';
import { daemonCan, type Placements } from '../../servers/public.ts';
import { Servers, type ServersDeps } from '../../servers/service.ts';
import { Catalog } from '../../templates/catalog.ts';
import { shipCatalog } from '../../templates/ship.ts';
import { DEADLINE, deadlineJob } from '../deadline.ts';
import { Planning } from '../planning.ts';
import { deploymentFor, requireFittingData, stopDeployments, underWay } from '../queue.ts';
import { type DeployedFacts, DeploymentReports } from '../reports.ts';
import { Deployments } from '../service.ts';

const WAKE = 'channel';

/** Connects the services that a deployment uses, with a manual clock and a recording stand-in for instances. */
async function connectServices(engine: Engine, options: { allowPlaintext?: boolean } = {}) {
  const time = { now: Date.now() };
  const testDatabase = await engine.testDatabase();
  const storage = await testDatabase.open({ clock: () => time.now });
  const log = new QuietLog();
  const bus = openLocalBus({ log });
  const woken: string[] = [];
  storage.onCommit((notices) => {
    for (const { topic, message } of notices) {
      if (topic === WAKE) woken.push(message);
      bus.publish(topic, message);
    }
  });
  const vault = await openVault(storage, { masterKey: randomBytes(32).toString('base64'), dataDirectory: '/nowhere' });
  const catalog = await openCatalog(storage);
  const { reader } = storage;
  const pages = new Pages();
  const signer = await openManifestSigner(storage, vault);
  const registries = new Registries({ reader, pages, vault });
  const loginsFor = registries.loginsFor.bind(registries);
  const manifests = new Manifests({
    catalog,
    vault,
    work: onThisThread,
    signer,
    loginsFor,
    ingressPorts: ingressPortsOf,
    runningRevision: async () => null,
    canLink: async () => true,
    emptyRestores: async () => true,
  });
  const servers = new Servers({ reader, pages } as unknown as ServersDeps);
  const server = servers.currentState.bind(servers);
  const wake = (tx: Tx, serverId: string) => tx.notify(WAKE, serverId);
  const seenServers: string[] = [];
  const seen = (serverId: string) => void seenServers.push(serverId);
  const instances = new RecordedInstances();
  const footprints = new Footprints(manifests.resolve.bind(manifests));
  const definitions = new Definitions({
    requireSettled,
    requireRoom: async () => {},
    work: onThisThread,
    reader,
    pages,
    catalog,
    vault,
    serverStatus: servers.statusInUse.bind(servers),
    // No definition is placed here.
    placements: {} as Placements,
    resolveOrder: manifests.resolveOrder.bind(manifests),
    planBackups,
    requireFittingData,
    stopDeployments: stopDeployments(wake),
    releaseAll: instances.releaseAll,
    keepAll: instances.keepAll,
    healLiving: async () => {},
  });
  const holdServer = servers.hold.bind(servers);
  const planning = new Planning({ reader, server, manifests, nodes: async () => [] });
  const deployments = new Deployments({
    requireSettled,
    reader,
    pages,
    server,
    manifests,
    footprints,
    planning,
    requireBackup: async () => {},
    backupFor: async () => undefined,
    prepare: async (_tx, row) => row,
    wake,
    livingOn,
    holdServer,
    seen,
  });
  const hasPublishedDaemon = servers.hasPublishedDaemon.bind(servers);
  const reports = new DeploymentReports({
    makeRoom: async () => {},
    reader,
    vault,
    instances,
    manifests,
    elsewhere: async () => {},
    hasPublishedDaemon,
    wake,
    seen,
  });
  const reading = manifestReading(manifests, options.allowPlaintext ?? false);
  const deadline = deadlineJob({ storage, server, manifests, wake });
  const worker = new JobWorker({
    storage,
    bus,
    log,
    handlers: { [DEADLINE]: deadline },
    clock: () => time.now,
    replica: 'a',
  });

  return {
    storage,
    bus,
    time,
    vault,
    signer,
    manifests,
    definitions,
    deployments,
    planning,
    reports,
    reading,
    instances,
    deadline,
    worker,
    /** Servers whose daemons were woken, in order. */
    woken,
    /** Servers that were reported online, in order. */
    seenServers,
  };
}

const manifestReading = (manifests: Manifests, allowPlaintext: boolean) =>
  new ManifestReading({
    manifests,
    allowPlaintext,
    deployment: deploymentFor,
    underWay,
    definitionOf: definitionOfInstance,
    introduce: async () => {},
    recipient: async () => ({ key: null, trusted: true }),
    traces: (queries, serverId) => daemonCan(queries, serverId, 'trace'),
  });

/** Opens the services that a deployment uses, and what tests order and report through them. */
export async function openDeploymentServices(engine: Engine, options: { allowPlaintext?: boolean } = {}) {
  const { bus, time, deadline, worker, ...services } = await connectServices(engine, options);
  const { storage, definitions, deployments, reports } = services;
  const { reader } = storage;
  return {
    ...services,
    now: () => time.now,
    pass(ms: number) {
      time.now += ms;
      bus.publish('jobs');
    },
    startJobs() {
      worker.start();
      engine.afterwards(() => worker.stop({ withinMs: 0 }));
    },
    /** Runs the deadline job of a deployment now. */
    async checkDeadline(id: string): Promise<void> {
      const job = { id: 'job', kind: DEADLINE, key: id, payload: null, attempts: 1 };
      const complete: JobRun['complete'] = async () => 'settled';
      await deadline.run({ job, complete, signal: new AbortController().signal });
    },
    async account(): Promise<Principal> {
      const accountId = await insertAccount(storage);
      return {
        kind: 'key',
        id: newId('key'),
        accountId,
        plan: 'pro',
        userId: null,
        ...unlimited,
        permissions: ['admin'],
      };
    },
    async server({ accountId, plan }: Principal, status = 'online'): Promise<Principal & { kind: 'server' }> {
      const serverId = newId('server');
      await storage.write((tx) => insertRow(tx, 'servers', { ...serverRow(tx, { accountId, serverId }), status }));
      return { kind: 'server', serverId, accountId, plan };
    },
    async turn(serverId: string, status: string): Promise<void> {
      await storage.write((tx) =>
        tx.db
          .updateTable('servers')
          .set({ status } as never)
          .where('id', '=', serverId)
          .execute(),
      );
    },
    async definition(owner: Principal, serverId: string, inputs: Record<string, string> = {}, species = 'inkwell') {
      const uid = newId('definition').replace('def_', 'uid-');
      // Host names must be unique on a server.
      const needed = species === 'inkwell' ? { WEB_HOSTNAME: `${uid}.example.org` } : {};
      const order = await definitions.order(owner, {
        species,
        instance_uid: uid,
        server_id: serverId,
        inputs: { ...needed, ...inputs },
      });
      return await storage.write((tx) => definitions.create(tx, owner, order));
    },
    revise: (owner: Principal, id: string, title: string) =>
      storage.write((tx) => definitions.update(tx, owner, id, { inputs: { SITE_TITLE: title } })),
    execute: (owner: Principal, definition_id: string) =>
      storage.write((tx) => deployments.execute(tx, owner, { definition_id })),
    rollback: (owner: Principal, id: string) => storage.write((tx) => deployments.rollback(tx, owner, id)),
    cancel: (owner: Principal, id: string) => storage.write((tx) => deployments.cancel(tx, owner, id)),
    async patch(daemon: Principal, id: string, body: DeploymentStatusReport) {
      const report = await reports.prepare(daemon, id, body);
      return await storage.write((tx) => reports.apply(tx, daemon, report));
    },
    async report(daemon: Principal, body: DeployReport) {
      const report = await reports.prepare(daemon, body.deployment_id, body);
      return await storage.write((tx) => reports.apply(tx, daemon, report));
    },
    row: async (id: string) =>
      await reader.db.selectFrom('deployments').selectAll().where('id', '=', id).executeTakeFirstOrThrow(),
    eventsOf: (resourceId: string) =>
      reader.db
        .selectFrom('events')
        .select(['type', 'data', 'actor'])
        .where('resource_id', '=', resourceId)
        .orderBy('position')
        .execute(),
  };
}

export type DeploymentServices = Awaited<ReturnType<typeof openDeploymentServices>>;

async function openCatalog(storage: Storage): Promise<Catalog> {
  const loaded = await loadCachedCatalog(sharedCatalog(), getCompileCacheDir());
  await shipCatalog(
    storage,
    loaded.flatMap(({ spec }) => spec ?? []),
  );
  const catalog = new Catalog(storage.reader);
  await catalog.load();
  return catalog;
}

/** Records what deployments report about instances. */
class RecordedInstances {
  readonly ids = new Map<string, string>();
  readonly facts = new Map<string, DeployedFacts>();
  readonly reported: ReportedInstance[] = [];
  readonly released: string[] = [];
  readonly kept: string[] = [];

  ensure = async (_tx: Tx, { definitionId }: { definitionId: string }): Promise<{ id: string }> => {
    const id = this.ids.get(definitionId) ?? newId('instance');
    this.ids.set(definitionId, id);
    return { id };
  };
  deployed = async (_tx: Tx, id: string, facts: DeployedFacts): Promise<void> => {
    this.facts.set(id, facts);
  };
  report = async (_tx: Tx, _scope: object, reported: ReportedInstance[]): Promise<void> => {
    this.reported.push(...reported);
  };
  releaseAll = async (_tx: Tx, definitionId: string): Promise<void> => {
    this.released.push(definitionId);
  };
  keepAll = async (_tx: Tx, definitionId: string): Promise<void> => {
    this.kept.push(definitionId);
  };
}
