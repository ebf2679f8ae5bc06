import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { formatFinding } from '@hortus/template/finding';
import { loadCatalog } from '@hortus/template/load';
import type { Bus } from './bus/bus.ts';
import { openLocalBus } from './bus/local-bus.ts';
import { openPostgresBus } from './bus/postgres-bus.ts';
import type { Config } from './config.ts';
import { healthRoutes } from './http/health.ts';
import { buildHttp, type Http } from './http/server.ts';
import { Authenticator } from './identity/authenticator.ts';
import { ensureFirstAccount, type FirstStart } from './identity/first-start.ts';
import { LoginThrottle } from './identity/login-throttle.ts';
import { Passwords } from './identity/passwords.ts';
import { newServerKey } from './identity/tokens.ts';
import { JobWorker } from './jobs/worker.ts';
import type { Log } from './log.ts';
import { openMetrics } from './metrics.ts';
import { AddressGuard } from './outbound/address-guard.ts';
import { Dispatcher } from './outbox/dispatcher.ts';
import { accountRoutes } from './resources/account/routes.ts';
import { Accounts } from './resources/account/service.ts';
import { catalogRoutes } from './resources/catalog/routes.ts';
import { definitionRoutes } from './resources/definitions/routes.ts';
import { Definitions, definitionsOn } from './resources/definitions/service.ts';
import { eventRoutes } from './resources/events/routes.ts';
import { keyRoutes } from './resources/keys/routes.ts';
import { Keys } from './resources/keys/service.ts';
import { serverRoutes } from './resources/servers/routes.ts';
import { Servers } from './resources/servers/service.ts';
import { taxonomyRoutes } from './resources/taxonomy/routes.ts';
import { CATALOG_TOPIC, Catalog } from './resources/templates/catalog.ts';
import { templateRoutes } from './resources/templates/routes.ts';
import { shipCatalog } from './resources/templates/ship.ts';
import { vaultRoutes } from './resources/vault/routes.ts';
import { VaultAdministration } from './resources/vault/service.ts';
import { DELIVER, deliveryJob } from './resources/webhooks/delivery-job.ts';
import { fanOut } from './resources/webhooks/fan-out.ts';
import { webhookRoutes } from './resources/webhooks/routes.ts';
import { openStorage } from './storage/open.ts';
import { Pages } from './storage/page.ts';
import type { Storage } from './storage/storage.ts';
import { openVault } from './vault/vault.ts';

export interface AppDeps {
  readonly config: Config;
  readonly log: Log;
}

export interface App {
  readonly http: Http;
  /** What was made on an empty database; what of it was generated is shown once. */
  readonly firstStart: FirstStart | undefined;
  /** Finishes requests in flight and running jobs, then lets go of the database. */
  close(): Promise<void>;
}

export const VERSION: string = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version;

/** The map of the service: everything is made here, from what it needs, and nowhere else. */
export async function buildApp({ config, log }: AppDeps): Promise<App> {
  const replica = randomBytes(8).toString('hex');
  const storage = await openStorage(config);
  const bus = await openBus(config, replica, log);
  storage.onCommit((notices) => {
    for (const { topic, message } of notices) bus.publish(topic, message);
  });

  const vault = await openVault(storage, config);
  const passwords = new Passwords();
  const firstStart = await ensureFirstAccount({ storage, passwords, ...config });
  const authenticator = new Authenticator({ storage, bus, mode: config.mode });
  const catalog = await openCatalog({ config, storage, bus, log });
  const pages = new Pages();
  const { reader } = storage;
  const guard = new AddressGuard({ allowPrivate: config.webhookAllowPrivate });

  const servers = new Servers({
    reader,
    pages,
    issueKey: () => newServerKey(config.mode),
    inUse: definitionsOn,
  });
  const definitions = new Definitions({
    reader,
    pages,
    catalog,
    vault,
    hasServer: (tx, accountId, id) => servers.has(tx, accountId, id),
  });

  const dispatcher = new Dispatcher({ storage, bus, log, subscribers: [fanOut] });
  const jobs = new JobWorker({
    storage,
    bus,
    replica,
    log,
    handlers: { [DELIVER]: deliveryJob({ storage, vault, guard }) },
  });

  const http = await buildHttp({
    config,
    storage,
    vault,
    log,
    authenticator,
    metrics: openMetrics(),
    version: VERSION,
    catalog: { version: () => catalog.version, visibility: () => '' },
    handlers: {
      ...healthRoutes(VERSION),
      ...templateRoutes(catalog),
      ...catalogRoutes(catalog),
      ...taxonomyRoutes(catalog),
      ...definitionRoutes(definitions),
      ...serverRoutes(servers),
      ...webhookRoutes({ storage, vault, guard, pages }),
      ...eventRoutes({ storage, pages }),
      ...accountRoutes(new Accounts({ storage, passwords, throttle: new LoginThrottle() })),
      ...keyRoutes(new Keys({ storage, pages, mode: config.mode })),
      ...vaultRoutes(new VaultAdministration({ storage, vault })),
    },
  });
  dispatcher.start();
  jobs.start();

  return {
    http,
    firstStart,
    async close() {
      await http.close();
      await jobs.stop();
      await dispatcher.stop();
      await authenticator.close();
      await bus.close();
      await storage.close();
    },
  };
}

const openBus = async ({ databaseUrl }: Config, replica: string, log: Log): Promise<Bus> =>
  databaseUrl === undefined ? openLocalBus({ log }) : await openPostgresBus({ url: databaseUrl, replica, log });

interface CatalogDeps extends AppDeps {
  readonly storage: Storage;
  readonly bus: Bus;
}

/** Publishes what this release brings, then keeps the whole in memory, up to date with the other replicas. */
async function openCatalog({ config, storage, bus, log }: CatalogDeps): Promise<Catalog> {
  const loaded = await loadCatalog(config.catalogDirectory);
  for (const finding of loaded.flatMap(({ findings }) => findings)) log.warn(formatFinding(finding));
  const { changed } = await shipCatalog(
    storage,
    loaded.flatMap(({ spec }) => spec ?? []),
  );
  for (const template of changed)
    log.warn(`The template ${template} differs from the one published under that version; raise its version.`);
  const catalog = new Catalog(storage.reader);
  await catalog.load();
  const reload = () => {
    catalog.load().catch((err) => log.error({ err }, 'the catalog could not be loaded again'));
  };
  bus.subscribe(CATALOG_TOPIC, reload);
  bus.onGap(reload);
  return catalog;
}
