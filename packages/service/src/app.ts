import { randomBytes } from 'node:crypto';
import { getCompileCacheDir } from 'node:module';
import { VERSION } from '@hortus/contract/releases/version';
import { loadCachedCatalog } from '@hortus/template/catalog/cached-catalog';
import { formatFinding } from '@hortus/template/source/finding';
import type { Bus } from './bus/bus.ts';
import { openLocalBus } from './bus/local-bus.ts';
import type { Config } from './config/config.ts';
import { loadConsole } from './http/console-files.ts';
import { buildHttp, type Http } from './http/server.ts';
import { Authenticator } from './identity/authenticator.ts';
import { ensureFirstAccount, type FirstStart, renewFirstLink } from './identity/first-start.ts';
import { makePassingKey, type PassingKeyOptions } from './identity/passing-key.ts';
import { Passwords } from './identity/passwords.ts';
import { JobWorker } from './jobs/worker.ts';
import { NUMBERED_TOPIC } from './outbox/append.ts';
import { Dispatcher } from './outbox/dispatcher.ts';
import type { AgentBuilder } from './process/agent-builder.ts';
import { type Guard, guardWith } from './process/guard.ts';
import type { Log } from './process/log.ts';
import { type Metrics, openMetrics } from './process/metrics.ts';
import { reachableUrl } from './relay/reachable-url.ts';
import { MARKED_TOPIC } from './resources/actions/dispatch.ts';
import { requireLeader } from './resources/servers/leadership/leader.ts';
import { CATALOG_TOPIC, Catalog } from './resources/templates/catalog.ts';
import { shipCatalog, stampCatalog } from './resources/templates/ship.ts';
import { openStorage } from './storage/open.ts';
import type { Notice, Storage } from './storage/storage.ts';
import { timed } from './storage/timed.ts';
import { DaemonStreams } from './streams/daemon-streams.ts';
import type { Hmac } from './streams/ticket.ts';
import { openVault } from './vault/vault.ts';
import { gaugesOf } from './wiring/gauges.ts';
import { openSockets } from './wiring/sockets.ts';
import { wireResources } from './wiring/wiring.ts';
import { openWorkerPool } from './wiring/worker-pool.ts';
import type { ClosableWork, PoolLimits } from './workers/pool.ts';

export interface AppDeps {
  readonly config: Config;
  readonly log: Log;
  /** Opens the storage; tests replace it to simulate a slow database. */
  readonly open?: typeof openStorage;
  /** Opens a pool of worker threads; tests share the threads of their process, because starting one takes half a second. */
  readonly openWork?: (guard: Guard, limits?: Partial<PoolLimits>) => ClosableWork;
  /** Builds agent binaries that are missing. */
  readonly agentBuilder?: AgentBuilder;
  /** Hashes and verifies passwords; tests pass a cheap one. */
  readonly passwords?: Passwords;
}

export interface App {
  readonly http: Http;
  /** What was created on an empty database; generated credentials in it are shown once. */
  readonly firstStart: FirstStart | undefined;
  readonly metrics: Pick<Metrics, 'values'>;
  /** Returns the token of a new link for the first sign-in; undefined after it. Earlier links become invalid. */
  firstLink(): Promise<string | undefined>;
  /** Creates a short-lived key of the first account, for the operator of this process. */
  passingKey(wanted: PassingKeyOptions): Promise<string>;
  /**
   * Finishes requests in flight and running jobs, then closes the database. Idempotent: later calls await the same
   * shutdown.
   */
  close(): Promise<void>;
}

/** Objects of a repository take longer than a template, and must not keep the other threads from it. */
const REPOSITORY_LIMITS = { cpuMs: 15_000, heapMb: 256 };

/** Creates all parts of the service with their dependencies. `wiring/` does this for the resources. */
export async function buildApp(deps: AppDeps): Promise<App> {
  const { config, log, open = openStorage, passwords = new Passwords(), openWork = openWorkerPool } = deps;
  const replica = randomBytes(8).toString('hex');
  const metrics = openMetrics();
  const storage = timed(await open(config), metrics.observeDatabase);
  const bus = await openBus(config, replica, log);
  const guard = guardWith(log);
  publishNotices(storage, bus, guard);

  const vault = await openVault(storage, config);
  const firstStart = await ensureFirstAccount({ storage, passwords, ...config });
  const authenticator = new Authenticator({
    storage,
    bus,
    mode: config.mode,
    sessionIdleMs: config.sessionIdleMinutes * 60_000,
  });
  const catalog = await openCatalog({ config, storage, bus, log });
  const work = openWork(guard);
  const repositoryWork = openWork(guard, REPOSITORY_LIMITS);
  const hmac: Hmac = (accountId, text) => vault.hmac(storage.reader, accountId, text);
  const ownUrl = () => config.replicaUrl ?? reachableUrl(http.server);
  const connectionTo = (serverId: string) => sockets.gateway.connection(serverId);
  const streams = new DaemonStreams({
    bus,
    guard,
    hmac,
    protect: (order, to, secrets) => wired.protect(order, to, secrets),
    sign: (order) => wired.signOrder(order),
    connection: connectionTo,
    ownUrl,
  });
  const wired = await wireResources({
    config,
    log,
    version: VERSION,
    replica,
    storage,
    vault,
    passwords,
    catalog,
    work,
    repositoryWork,
    streams,
    connectionTo,
    invoke: (...args) => http.invoke(...args),
    ...(deps.agentBuilder && { agentBuilder: deps.agentBuilder }),
  });
  // Until the end: an execution whose connection is gone is handed back.
  bus.subscribe(MARKED_TOPIC, (id) => {
    wired.sendMarked(id).catch((err) => log.error({ err, execution_id: id }, 'sending an execution failed'));
  });

  const dispatcher = new Dispatcher({ storage, bus, log, subscribers: wired.subscribers });
  const jobs = new JobWorker({ storage, bus, replica, log, handlers: wired.jobs });
  const http = buildHttp({
    console: await loadConsole(config.consoleDirectory),
    config,
    storage,
    vault,
    fence: requireLeader,
    log,
    authenticator,
    metrics,
    version: VERSION,
    catalog: { version: () => catalog.version, visibility: ({ accountId }) => catalog.visibility(accountId) },
    handlers: wired.handlers,
    liveHandlers: wired.liveHandlers,
    rawRoutes: wired.rawRoutes,
    work,
  });
  const sockets = await openSockets({
    config,
    log,
    replica,
    storage,
    bus,
    vault,
    guard,
    work,
    authenticator,
    http,
    wired,
    streams,
    hmac,
    ownUrl,
  });
  const counts = {
    daemons: () => sockets.gateway.size,
    streams: http.openStreams,
    daemonStreams: () => streams.size,
  };
  const gauges = gaugesOf({ reader: storage.reader, jobKinds: Object.keys(wired.jobs), ...counts });
  for (const gauge of gauges) metrics.add(gauge);
  bus.subscribe(NUMBERED_TOPIC, () => wired.feed.wake());
  bus.onGap(() => wired.feed.wake());
  dispatcher.start();
  wired.feed.start();
  jobs.start();

  return {
    http,
    firstStart,
    metrics,
    firstLink: () => renewFirstLink(storage),
    passingKey: (wanted) => makePassingKey({ storage, mode: config.mode }, wanted),
    close: once(async () => {
      await sockets.close();
      await http.close();
      await jobs.stop();
      await dispatcher.stop();
      await wired.feed.stop();
      await work.close();
      await repositoryWork.close();
      await authenticator.close();
      await bus.close();
      await storage.close();
    }),
  };
}

function publishNotices(storage: Storage, bus: Bus, guard: Guard): void {
  storage.onCommit(
    guard((notices: readonly Notice[]) => {
      for (const { topic, message } of notices) bus.publish(topic, message);
    }),
  );
}

/** Runs the work once; later calls await the same promise. */
function once(work: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined;
  return () => {
    done ??= work();
    return done;
  };
}

async function openBus({ databaseUrl }: Config, replica: string, log: Log): Promise<Bus> {
  if (databaseUrl === undefined) return openLocalBus({ log });
  const { openPostgresBus } = await import('./bus/postgres-bus.ts');
  return await openPostgresBus({ url: databaseUrl, replica, log });
}

interface CatalogDeps extends AppDeps {
  readonly storage: Storage;
  readonly bus: Bus;
}

/** Publishes the catalog of this release, then keeps all templates in memory, in sync with the other replicas. */
async function openCatalog({ config, storage, bus, log }: CatalogDeps): Promise<Catalog> {
  // Next to the compile cache, which speeds up starts as well.
  const loaded = await loadCachedCatalog(config.catalogDirectory, getCompileCacheDir());
  for (const finding of loaded.flatMap(({ findings }) => findings)) log.warn(formatFinding(finding));
  const { changed } = await shipCatalog(
    storage,
    loaded.flatMap(({ spec }) => spec ?? []),
  );
  await stampCatalog(
    storage,
    loaded.flatMap(({ verified }) => verified ?? []),
  );
  for (const template of changed)
    log.warn(`The template ${template} differs from the one published under that version; raise its version.`);
  const logos = loaded.flatMap(({ spec, logo }) => (spec && logo ? [[spec.slug, logo] as const] : []));
  const catalog = new Catalog(storage.reader, new Map(logos));
  await catalog.load();
  const reload = () => {
    catalog.load().catch((err) => log.error({ err }, 'reloading the catalog failed'));
  };
  bus.subscribe(CATALOG_TOPIC, reload);
  bus.onGap(reload);
  return catalog;
}
