import { createDatabase } from '@hortus/testkit/database';
import { type Postgres, startPostgres } from '@hortus/testkit/postgres';
import { startReceiver } from '@hortus/testkit/receiver';
import { temporaryFolder } from '@hortus/testkit/temporary-folder';
import { until } from '@hortus/testkit/until';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { clientOf, newAdminKey, registerServer, type ServiceProcess, startService } from '../service-process.ts';

let postgres: Postgres;
beforeAll(async () => {
  postgres = await startPostgres({ fsync: true });
});
afterAll(() => postgres.stop());

const undo: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

/** Both start at once on an empty database, so they also race for the schema, the catalog and the first account. */
async function twoReplicas(env: Record<string, string> = {}): Promise<[ServiceProcess, ServiceProcess]> {
  const database = await createDatabase(postgres.url);
  undo.push(() => database.drop());
  const key = newAdminKey();
  const start = async () => {
    const folder = temporaryFolder('replica');
    undo.push(() => folder.remove());
    const masterKey = Buffer.alloc(32, 5).toString('base64');
    const service = await startService({
      directory: folder.path,
      key,
      env: { HORTUS_DATABASE_URL: database.url, HORTUS_MASTER_KEY: masterKey, ...env },
    });
    undo.push(() => service.process.stop());
    return service;
  };
  return await Promise.all([start(), start()]);
}

const create = (service: ServiceProcess, serverId: string, uid: string) =>
  service.client.call('definitions.create', {
    body: { species: 'postgres', instance_uid: uid, server_id: serverId, inputs: {} },
  });

test('two replicas share schema, account, catalog and records', async () => {
  const [a, b] = await twoReplicas();
  const serverId = await registerServer(a.client);
  const { data } = await create(b, serverId, 'shared');
  expect((await a.client.call('definitions.read', { params: { id: data.id } })).data).toEqual(data);
  const ids = async (service: ServiceProcess) => (await service.client.call('templates.list')).data.map(({ id }) => id);
  expect(await ids(a)).toEqual(await ids(b));
});

test('a template published on one replica is usable on the other at once', async () => {
  const [a, b] = await twoReplicas();
  const serverId = await registerServer(a.client);
  for (let i = 0; i < 10; i++) {
    const source = `slug: moss-${i}
name: Moss
version: 1.0.0
archetype: application
taxonomy: {kingdom: applications, family: website}
image: {repository: docker.io/library/nginx, tag: 1.29.2}
`;
    const { id } = (await a.client.call('drafts.create', { body: { source } })).data;
    await a.client.call('drafts.validate', { params: { id } });
    await a.client.call('drafts.promote', { params: { id } });
    const made = (uid: string) => ({ species: `moss-${i}`, instance_uid: uid, server_id: serverId, inputs: {} });
    const there = await b.client.call('definitions.create', { body: made(`there-${i}`) });
    const here = await a.client.call('definitions.create', { body: made(`here-${i}`) });
    expect((await b.client.call('definitions.read', { params: { id: here.data.id } })).data).toEqual(here.data);
    expect(there.data.template_id).toBe(id);
  }
});

test('the same instance_uid on both at once is created once', async () => {
  const [a, b] = await twoReplicas();
  const serverId = await registerServer(a.client);
  for (let i = 0; i < 10; i++) {
    const outcomes = await Promise.allSettled([create(a, serverId, `race-${i}`), create(b, serverId, `race-${i}`)]);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    const lost = outcomes.find((outcome) => outcome.status === 'rejected');
    expect(lost?.reason).toMatchObject({ code: 'VALIDATION_ERROR', status: 422 });
  }
});

test('every event is numbered without gaps and delivered once across replicas', async () => {
  const [a, b] = await twoReplicas();
  await using receiver = await startReceiver();
  await a.client.call('webhooks.create', {
    body: { url: receiver.url, events: ['definition.created'], secret: 'a secret of the receiver' },
  });
  const serverId = await registerServer(a.client);
  const created = await Promise.all(
    Array.from({ length: 60 }, async (_, i) => (await create(i % 2 ? a : b, serverId, `event-${i}`)).data.id),
  );
  const delivered = () =>
    receiver.requests.map(({ json }) => (json as { data: { definition_id: string } }).data.definition_id);
  await until(() => new Set(delivered()).size === created.length, {
    describe: () => `${created.length} deliveries, got ${delivered().length}`,
  });
  expect(delivered().sort()).toEqual([...created].sort());
  const seqs: number[] = [];
  for await (const event of b.client.pages('events.list', { query: { after: 0, per_page: 100 } })) seqs.push(event.seq);
  expect(seqs).toEqual(seqs.map((_, i) => i + 1));
});

test('a key revoked on one replica is refused by the other', async () => {
  const [a, b] = await twoReplicas();
  const { data } = await a.client.call('keys.create', { body: { name: 'short-lived', permissions: ['servers:read'] } });
  const onB = clientOf(b.base, data.key);
  await onB.call('servers.list');
  await a.client.call('keys.revoke', { params: { id: data.id } });
  await until(
    () =>
      onB.call('servers.list').then(
        () => false,
        (problem) => problem.status === 401,
      ),
    { describe: 'a 401 on the other replica' },
  );
});

test('a rate limit holds across both replicas', { timeout: 300_000 }, async () => {
  const limit = 200;
  const [a, b] = await twoReplicas({ HORTUS_RATE_LIMITS: `enterprise=${limit}` });
  const isAllowed = async ({ base, key }: ServiceProcess) =>
    (await fetch(`${base}/servers`, { headers: { authorization: `Bearer ${key}` } })).status === 200;
  /** Asks until it is refused, but not more often than any limit allows; returns how often it was not. */
  const untilRefused = async (replica: ServiceProcess, every: number) => {
    let allowed = 0;
    await until(async () => allowed > limit || !(await isAllowed(replica)) || void allowed++, {
      describe: 'a refusal',
      every,
    });
    return allowed;
  };
  // Again if a window of the rate limit ended in between.
  await until(
    async () => {
      const window = Math.floor(Date.now() / 60_000);
      const allowed = { a: await untilRefused(a, 0), b: await untilRefused(b, 50) };
      if (Math.floor(Date.now() / 60_000) !== window) return false;
      expect(allowed.a).toBeLessThanOrEqual(limit);
      // Replicas exchange counts every 100 ms; one that counted alone would allow as many again.
      expect(allowed.b).toBeLessThan(limit);
      return true;
    },
    { within: 150_000, describe: 'one whole window' },
  );
});

test('PostgreSQL restarted in the middle: requests wait or fail cleanly, nothing acknowledged is lost', {
  timeout: 240_000,
}, async () => {
  const [a, b] = await twoReplicas();
  const serverId = await registerServer(a.client);
  const acknowledged: string[] = [];
  const unclean: unknown[] = [];
  let running = true;
  const caller = async (service: ServiceProcess, number: number) => {
    for (let i = 0; running; i++) {
      try {
        acknowledged.push((await create(service, serverId, `c${number}-${i}`)).data.id);
      } catch (problem) {
        const { code, status } = problem as { code: string; status: number };
        if (code !== 'SERVER_ERROR' || status !== 500) unclean.push(problem);
      }
    }
  };
  const callers = [a, b, a, b].map(caller);
  await until(() => acknowledged.length > 50, { describe: 'creates before the restart' });
  await postgres.restart({ immediate: true });
  const seen = acknowledged.length;
  await until(() => acknowledged.length > seen + 50, { within: 60_000, describe: 'creates after the restart' });
  running = false;
  await Promise.all(callers);
  expect(unclean).toEqual([]);
  const known = new Set<string>();
  for await (const { id } of b.client.pages('definitions.list', { query: { per_page: 100 } })) known.add(id);
  expect(acknowledged.filter((id) => !known.has(id))).toEqual([]);
  const reported = () => a.client.call('events.list', { query: { type: 'definition.created', per_page: 1 } });
  await until(async () => (await reported()).pagination.total === known.size, {
    describe: 'one event for each definition',
  });
});
