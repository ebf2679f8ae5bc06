import { randomBytes } from 'node:crypto';
import { canonical } from '@hortus/template/canonical/canonical';
import { parse } from '@hortus/template/source/parse';
import { INKWELL } from '@hortus/template/testing/inkwell';
import { validate } from '@hortus/template/validate';
import { openLocalBus } from '../../../bus/local-bus.ts';
import type { Protect } from '../../../channel/protect.ts';
import { type Principal, unlimited } from '../../../identity/principal.ts';
import { JobWorker } from '../../../jobs/worker.ts';
import { defaultQuotas } from '../../../quotas/limits.ts';
import { Quotas } from '../../../quotas/quotas.ts';
import { newId } from '../../../records/ids.ts';
import { Pages } from '../../../storage/page.ts';
import { insertRow } from '../../../storage/status-columns.ts';
import type { Storage } from '../../../storage/storage.ts';
import type { Engine, TestDatabase } from '../../../testing/engines.ts';
import { QuietLog } from '../../../testing/quiet-log.ts';
import { insertAccount, serverRow } from '../../../testing/rows.ts';
import { openVault } from '../../../vault/vault.ts';
import type { SharedDependencies } from '../../../wiring/dependencies.ts';
import { makeDeployments } from '../../../wiring/deployments.ts';
import type { ServersMade } from '../../../wiring/servers.ts';
import { onThisThread } from '../../../workers/testing/on-this-thread.ts';
import { DEADLINE } from '../../actions/deadlines.ts';
import type { Line } from '../../actions/dispatch.ts';
import type { Actions } from '../../actions/service.ts';
import { BACKUPS_DUE, dueJob } from '../../backups/schedule.ts';
import { Manifests } from '../../manifest/service.ts';
import { Servers, type ServersDeps } from '../../servers/service.ts';
import { Catalog } from '../../templates/catalog.ts';
import { shipCatalog } from '../../templates/ship.ts';
import type { Instances } from '../service.ts';

/** Inkwell with an action that takes every kind of param, and one that is dangerous. */
const TEMPLATE = INKWELL.replace(
  'backup:\n',
  `  - name: Add a user
    slug: add-user
    type: exec
    component: app
    command: [inkwell, useradd, "\${params.name}", "--password=\${params.password}", "--level=\${params.level}"]
    timeout: 60s
    params:
      - {name: name, type: string, required: true}
      - {name: password, type: password, required: true}
      - {name: level, type: integer, default: 3}
  - name: Greet
    slug: greet
    type: exec
    component: db
    command: [greet]
    env: {GREETING: "Hello \${params.whom}", SMTP: "\${inputs.SMTP_PASSWORD}"}
    params: [{name: whom, type: string, default: you}]
  - {name: Ping, slug: ping, type: http, component: app, http: {port: 8080, path: /ping}}
  - {name: Rebuild, slug: rebuild, type: job, component: app, command: [inkwell, rebuild]}
  - {name: Wipe, slug: wipe, type: exec, component: app, command: [inkwell, wipe], dangerous: true}
backup:
`,
);

/** Capabilities of our own daemon, as far as instances need them. */
const OURS = ['journal', 'builtin', 'cancel'];

export const SMTP_PASSWORD = 'hunter2-and-more';
/** Shared by all replicas. */
const masterKey = randomBytes(32).toString('base64');

type Replica = Awaited<ReturnType<typeof replicaOn>>;

/** Opens the services of instances and actions as one replica. */
async function replicaOn(storage: Storage, clock: () => number) {
  const log = new QuietLog();
  const bus = openLocalBus({ log });
  storage.onCommit((notices) => {
    for (const { topic, message } of notices) bus.publish(topic, message);
  });
  const vault = await openVault(storage, { masterKey, dataDirectory: '/nowhere' });
  const { template } = validate(parse(TEMPLATE, 'inkwell'), 'inkwell');
  if (!template) throw new Error('The template of the tests is not valid.');
  await shipCatalog(storage, [canonical(template)]);
  const catalog = new Catalog(storage.reader);
  await catalog.load();
  const pages = new Pages(clock);
  const manifests = new Manifests({
    catalog,
    vault,
    work: onThisThread,
    signer: undefined as never,
    loginsFor: async () => [],
    ingressPorts: async () => undefined,
    runningRevision: async () => null,
    canLink: async () => true,
    emptyRestores: async () => true,
  });
  const servers = new Servers({ reader: storage.reader, pages } as unknown as ServersDeps);
  const held = new Map<string, Line>();
  const quotas = new Quotas(defaultQuotas);
  const connectionTo = (serverId: string) => held.get(serverId);
  const shared = { storage, vault, catalog, pages, quotas, wake, work: onThisThread, clock, connectionTo };
  const made = { manifests, protect: unprotected, servers, server: servers.currentState.bind(servers), liveness };
  const { instances, actions, backups, orders, definitions } = makeDeployments(
    shared as unknown as SharedDependencies,
    made as unknown as ServersMade,
    { deployed: async () => {}, acted: async () => {}, elsewhere: async () => {} },
  );
  const worker = new JobWorker({
    storage,
    bus,
    log,
    clock,
    replica: newId('job'),
    sweepMs: 60_000,
    handlers: { [DEADLINE]: actions.deadlineJob(), [BACKUPS_DUE]: dueJob({ storage, backups, instances }) },
  });
  return { storage, bus, instances, actions, backups, orders, definitions, worker, log, held };
}

/** Stands in for the connection to a daemon. */
export class FakeLine implements Line {
  readonly epoch: number;
  readonly capabilities: ReadonlySet<string>;
  readonly sent: { type: string; execution_id: string }[] = [];
  open = true;

  constructor(epoch: number, capabilities: readonly string[]) {
    this.epoch = epoch;
    this.capabilities = new Set(capabilities);
  }

  send(message: Parameters<Line['send']>[0]): boolean {
    if (this.open) this.sent.push(message);
    return this.open;
  }

  reconnect(): void {
    this.open = false;
  }

  /** Ids of the requested executions, in order. */
  get requested(): string[] {
    return this.sent.filter(({ type }) => type === 'action_request').map((message) => message.execution_id);
  }
}

/** Opens the services with an account, one server and a manual clock. */
export async function openInstanceServices(engine: Engine, on?: TestDatabase) {
  const time = { now: 1_800_000_000_000 };
  const clock = () => time.now;
  const testDatabase = on ?? (await engine.testDatabase());
  const first = await replicaOn(await testDatabase.open({ clock }), clock);
  const { storage } = first;
  const accountId = await insertAccount(storage);
  const principal = keyOf(accountId);
  const addServer = async (): Promise<string> => {
    const serverId = newId('server');
    await storage.write((tx) =>
      insertRow(tx, 'servers', {
        ...serverRow(tx, { accountId, serverId }),
        status: 'pending',
        capabilities: JSON.stringify(OURS),
      }),
    );
    return serverId;
  };
  const serverId = await addServer();
  let number = 0;

  const setServer = (columns: object, id = serverId) =>
    storage.write((tx) =>
      tx.db
        .updateTable('servers')
        .set(columns as never)
        .where('id', '=', id)
        .execute(),
    );
  const daemon = daemonOf(accountId, serverId);

  async function define(server_id: string): Promise<string> {
    const inputs = { WEB_HOSTNAME: 'blog.example.org', SMTP_PASSWORD };
    const body = { species: 'inkwell', instance_uid: `blog-${++number}`, server_id, inputs };
    const order = await first.definitions.order(principal, body);
    return (await storage.write((tx) => first.definitions.create(tx, principal, order))).id;
  }
  async function pending(server = serverId) {
    const definitionId = await define(server);
    const of = { accountId, definitionId, serverId: server, containerName: `blog-${number}` };
    return storage.write((tx) => first.instances.ensure(tx, of));
  }

  return {
    ...first,
    testDatabase,
    clock: time,
    principal,
    serverId,
    addServer,
    daemon,
    pending,
    /** Opens a second replica on the same database; PostgreSQL only. */
    replica: async (): Promise<Replica> => replicaOn(await testDatabase.open({ clock }), clock),
    /** Creates an instance that is deployed and healthy. */
    async running(server = serverId) {
      const { id, definition_id: definitionId, container_name: containerName } = await pending(server);
      const facts = { container_id: `c-${id}`, status: 'running', health: 'healthy', started_at: time.now } as const;
      const deployed = { revision: 1, url: 'https://blog.example.org', ...facts };
      await storage.write((tx) => first.instances.deployed(tx, id, deployed));
      return { id, definitionId, containerName };
    },
    /** Connects a daemon; it becomes the newest connection. */
    async connect(capabilities: readonly string[] = OURS, id = serverId) {
      const { connection_epoch } = await storage.reader.db
        .selectFrom('servers')
        .select('connection_epoch')
        .where('id', '=', id)
        .executeTakeFirstOrThrow();
      const reported = { capabilities: JSON.stringify(capabilities), last_seen_at: time.now };
      await setServer({ connection_epoch: connection_epoch + 1, status: 'online', ...reported }, id);
      return new FakeLine(connection_epoch + 1, capabilities);
    },
    async disconnect(id = serverId) {
      await setServer({ status: 'offline' }, id);
      await storage.write(async (tx) => {
        await first.instances.lose(tx, id);
        await first.actions.pause(tx, id);
      });
    },
    read: (id: string) => first.instances.read(principal, id),
    execution: (id: string) => first.actions.read(principal, id),
    report: (reported: Parameters<Instances['report']>[2], by: Principal = daemon) =>
      storage.write((tx) =>
        first.instances.report(
          tx,
          { accountId: by.accountId, serverId: by.kind === 'server' ? by.serverId : undefined, actor: 'actor' },
          reported,
        ),
      ),
    async execute(instanceId: string, slug = 'db-dump', params: Record<string, unknown> = {}, by = principal) {
      const wanted = await first.actions.prepare(by, instanceId, slug, params);
      return storage.write((tx) => first.actions.execute(tx, by, wanted));
    },
    order: (instanceId: string, slug: 'hortus.start' | 'hortus.stop' | 'hortus.restart') =>
      storage.write((tx) => first.orders.order(tx, principal, instanceId, slug)),
    release: (instanceId: string, body: { remove_volumes?: boolean; confirm?: string[] } = {}) =>
      storage.write((tx) => first.orders.release(tx, principal, instanceId, body)),
    put: async (id: string, report: Parameters<Actions['report']>[3], by: Principal = daemon) => {
      const masked = await first.actions.prepareReport(by, id, report);
      return storage.write((tx) => first.actions.report(tx, by, id, masked));
    },
    cancel: (id: string) => storage.write((tx) => first.actions.cancel(tx, principal, id)),
    ...rowsOf(storage),
    pass(ms: number) {
      time.now += ms;
      first.bus.publish('jobs');
    },
    start() {
      first.worker.start();
      engine.afterwards(() => first.worker.stop({ withinMs: 0 }));
    },
  };
}

/** Reads rows and events as they are stored. */
const rowsOf = ({ reader }: Storage) => ({
  /** Events of a resource, oldest first. */
  events: async (resourceId: string) =>
    (
      await reader.db
        .selectFrom('events')
        .select(['type', 'data'])
        .where('resource_id', '=', resourceId)
        .orderBy('position')
        .execute()
    ).map(({ type, data }) => ({ type, data: JSON.parse(data) as Record<string, unknown> })),
  row: (id: string) => reader.db.selectFrom('instances').selectAll().where('id', '=', id).executeTakeFirstOrThrow(),
  executionRow: (id: string) =>
    reader.db.selectFrom('executions').selectAll().where('id', '=', id).executeTakeFirstOrThrow(),
});

export type InstanceServices = Awaited<ReturnType<typeof openInstanceServices>>;

export const keyOf = (accountId: string, permissions: readonly string[] = ['admin']): Principal => ({
  kind: 'key',
  id: 'key_1',
  userId: null,
  ...unlimited,
  plan: 'pro',
  permissions,
  accountId,
});

export const daemonOf = (accountId: string, serverId: string): Principal => ({
  kind: 'server',
  serverId,
  plan: 'pro',
  accountId,
});

/** Daemons are connected by hand, so none is woken or heard. */
const wake = () => {};
const liveness = { seen() {} };

/** Tests of executions compare messages; signing has tests of its own. */
const unprotected = ((order: object) => order) as unknown as Protect;
