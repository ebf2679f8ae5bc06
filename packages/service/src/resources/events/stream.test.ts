import { setTimeout as sleep } from 'node:timers/promises';
import type { StreamCall } from '@hortus/client/client';
import type { StreamEvent } from '@hortus/client/stream';
import type { Event } from '@hortus/contract/resources/events';
import { until } from '@hortus/testkit/until';
import { beforeAll, expect, it } from 'vitest';
import { append } from '../../outbox/append.ts';
import { newId } from '../../records/ids.ts';
import { onDifferingEngines } from '../../testing/engines.ts';
import { expectRefusal } from '../../testing/published-response.ts';
import { type Caller, insertKeyRow, type RunningService, startApp } from '../../testing/running-service.ts';

type Query = StreamCall<'events.list'>;

/** Collects the events of a stream in the background until it is left. */
function following(caller: Pick<Caller, 'client'>, call: Query = {}) {
  const leaving = new AbortController();
  const seen: StreamEvent[] = [];
  const over = (async () => {
    for await (const event of caller.client.stream('events.list', { ...call, signal: leaving.signal }))
      seen.push(event);
  })();
  over.catch(() => {});
  return {
    seen,
    over,
    seqs: () => seen.map(({ id }) => Number(id)),
    resources: () => seen.map(({ data }) => (data as Event).resource_id),
    leave: async () => {
      leaving.abort();
      await over.catch(() => {});
    },
    has: (count: number) => until(() => seen.length >= count, { describe: () => `${count} events: ${seen.length}` }),
  };
}

/** Writes an event by the side door, without a notice: the service finds it by its sweeps. */
async function fire(service: RunningService, resourceId: string, type = 'audit.tested', accountId = service.accountId) {
  await append(service.database, {
    type: type as `audit.${string}`,
    accountId,
    resourceType: 'plant',
    resourceId,
    actor: null,
    data: {},
  });
}

/** Waits until a new follower gets events as they come: from then on it misses none. */
async function live(service: RunningService, follower: ReturnType<typeof following>, accountId = service.accountId) {
  let markers = 0;
  for (; follower.seen.length === 0; markers++) {
    await fire(service, `marker ${markers}`, 'audit.marker', accountId);
    await sleep(20);
  }
  const last = `marker ${markers - 1}`;
  await until(() => follower.resources().at(-1) === last, { describe: 'all markers' });
  follower.seen.length = 0;
}

onDifferingEngines('notices between replicas', (engine) => {
  let installation: RunningService;
  beforeAll(async () => {
    installation = await startApp(engine);
  });

  it('sends every event as it is committed, with its seq as id, and resumes after it', async () => {
    const service = await installation.inNewAccount();
    const follower = following(service);
    await live(service, follower);
    for (const name of ['fern', 'moss', 'oak']) await fire(service, name);
    await follower.has(3);
    expect(follower.resources()).toEqual(['fern', 'moss', 'oak']);
    const [listed] = await service.eventsOf('fern');
    expect(follower.seen[0]).toEqual({ id: String(listed?.seq), event: 'change', data: listed });
    await follower.leave();
    await fire(service, 'elm');
    const again = following(service, { lastEventId: String(follower.seqs()[0]) });
    await again.has(3);
    expect(again.resources()).toEqual(['moss', 'oak', 'elm']);
    const bySeq = following(service, { query: { after: follower.seqs()[1] as number } });
    await bySeq.has(2);
    expect(bySeq.resources()).toEqual(['oak', 'elm']);
    await again.leave();
    await bySeq.leave();
  });

  it('filters by type, resource and tenant, in pages and live', async () => {
    const service = await installation.inNewAccount();
    const tenant = newId('tenant');
    const server = (await service.client.call('servers.create', { body: { name: 'web-1', environment: 'production' } }))
      .data;
    const made = (
      await service.client.call('tenants.create', {
        body: { name: 'Acme', slug: 'acme', server_id: server.id } as never,
      })
    ).data;
    const filters = [{ type: 'audit.b' }, { type: 'other.*' }, { resource_id: 'fern' }, { tenant_id: made.id }];
    const before = (await service.eventsOf()).at(-1)?.seq ?? 0;
    const write = async () => {
      await fire(service, 'fern', 'audit.a');
      await fire(service, 'moss', 'audit.b');
      await fire(service, 'oak', 'other.c');
      await fire(service, made.id, 'audit.d');
      await fire(service, tenant, 'audit.e');
    };
    await write();
    const followers = filters.map((query) => following(service, { query: { ...query, after: before } as never }));
    for (const follower of followers) await follower.has(1);
    await write();
    for (const follower of followers) await follower.has(2);
    expect(followers.map((follower) => follower.resources())).toEqual([
      ['moss', 'moss'],
      ['oak', 'oak'],
      ['fern', 'fern'],
      [made.id, made.id],
    ]);
    for (const follower of followers) await follower.leave();
  });

  it('sends another account nothing of this one', async () => {
    const service = await installation.inNewAccount();
    const neighbour = await service.addAccount();
    const spy = following(neighbour, { lastEventId: '0' });
    const withIds = following(neighbour, { query: { resource_id: 'fern', after: 0 } });
    await live(service, spy, neighbour.accountId);
    await fire(service, 'fern');
    await fire(service, 'own', 'audit.own', neighbour.accountId);
    await spy.has(1);
    expect(spy.seen.map(({ data }) => (data as Event).account_id)).toEqual([neighbour.accountId]);
    expect(withIds.seen).toEqual([]);
    await spy.leave();
    await withIds.leave();
  });

  it('ends when the key is revoked or the stream needs a permission that the key does not have', async () => {
    const service = await installation.inNewAccount();
    const { data: made } = await service.client.call('keys.create', {
      body: { name: 'follower', permissions: ['events:read'] },
    });
    const response = await fetch(`${service.base}/events`, {
      headers: { authorization: `Bearer ${made.key}`, accept: 'text/event-stream' },
    });
    const text = response.text();
    await service.client.call('keys.revoke', { params: { id: made.id } });
    expect(await text).toContain('event: error\ndata: {"success":false,"error":{"code":"UNAUTHORIZED"');
    const without = await insertKeyRow(service.database, {
      account_id: service.accountId,
      permissions: '["keys:read"]',
    });
    const headers = { accept: 'text/event-stream' };
    expectRefusal(await service.request('GET', '/events', { headers, key: without }), 'FORBIDDEN');
  });

  it('tells a client whose last id is older than what is kept, or unknown, that events may be missing', async () => {
    // The events of every account share their numbers.
    const service = await startApp(engine);
    for (const name of ['fern', 'moss', 'oak']) await fire(service, name);
    const kept = (await service.eventsOf('oak'))[0] as Event;
    await service.database.db.deleteFrom('events').where('seq', '<', kept.seq).execute();
    const old = following(service, { lastEventId: '1' });
    await old.has(2);
    expect(old.seen[0]).toMatchObject({ event: 'gap', data: { after: 1, resumed_after: 1, reason: 'removed' } });
    expect(old.seen[1]).toMatchObject({ event: 'change', id: String(kept.seq) });
    const exact = following(service, { lastEventId: String(kept.seq - 1) });
    await exact.has(1);
    expect(exact.seen[0]).toMatchObject({ event: 'change' });
    const future = following(service, { lastEventId: String(Number.MAX_SAFE_INTEGER) });
    await future.has(1);
    expect(future.seen[0]).toMatchObject({ event: 'gap', data: { resumed_after: kept.seq, reason: 'unknown_id' } });
    await fire(service, 'elm');
    await future.has(2);
    expect(future.resources()[1]).toBe('elm');
    for (const follower of [old, exact, future]) await follower.leave();
  });

  it.each(['-1', 'abc', '1.5', '0x10', '9'.repeat(17), '1e3', '9007199254740993'])(
    'refuses the last id %s',
    async (id) => {
      const service = await installation.inNewAccount();
      const headers = { accept: 'text/event-stream', 'last-event-id': id };
      expectRefusal(await service.request('GET', '/events', { headers }), 'VALIDATION_ERROR', 'Last-Event-ID');
    },
  );

  it('catches up from any number on while events are written, without a gap or a double', async () => {
    const service = await installation.inNewAccount();
    const from = (await service.eventsOf()).at(-1)?.seq ?? 0;
    const count = 450;
    let written = 0;
    const writing = (async () => {
      for (; written < count; written++) await fire(service, `plant ${written}`);
    })();
    const followers: ReturnType<typeof following>[] = [];
    for (let n = 0; n < 5; n++) {
      await until(() => written >= n * 90, { describe: 'more events' });
      followers.push(following(service, { query: { after: from } }));
    }
    await writing;
    for (const follower of followers) await follower.has(count);
    for (const follower of followers) {
      expect(follower.resources()).toEqual(Array.from({ length: count }, (_, n) => `plant ${n}`));
      await follower.leave();
    }
  });

  if (engine.name === 'postgres')
    it('follows on one replica what is committed on another', async () => {
      const service = await startApp(engine);
      const two = await startApp(engine, {}, service.testDatabase);
      const follower = following(two);
      await live(service, follower);
      const server = await service.client.call('servers.create', {
        body: { name: 'web-2', environment: 'production' },
      });
      await until(() => follower.resources().includes(server.data.id), { describe: 'the event of the other replica' });
      // The replicas may be used in turn: their numbers are the same.
      await follower.leave();
      const again = following(service, { lastEventId: String(follower.seqs().at(-1)) });
      await two.client.call('servers.delete', { params: { id: server.data.id } });
      await again.has(1);
      expect(again.resources()).toContain(server.data.id);
      await again.leave();
    });
});
