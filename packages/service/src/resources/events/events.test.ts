import { until } from '@hortus/testkit/until';
import { expect, it } from 'vitest';
import { openLocalBus } from '../../bus/local-bus.ts';
import type { Call } from '../../http/handler.ts';
import type { Principal } from '../../identity/principal.ts';
import { append } from '../../outbox/append.ts';
import { Dispatcher } from '../../outbox/dispatcher.ts';
import { hasUntold } from '../../outbox/store.ts';
import { Pages } from '../../storage/page.ts';
import { onDifferingEngines } from '../../testing/engines.ts';
import { QuietLog } from '../../testing/quiet-log.ts';
import { eventRoutes } from './routes.ts';

onDifferingEngines('numbering of events', (engine) => {
  async function audited() {
    const storage = await engine.open();
    const log = new QuietLog();
    const dispatcher = new Dispatcher({ storage, bus: openLocalBus({ log }), subscribers: [], log, sweepMs: 10 });
    const routes = eventRoutes({ storage, pages: new Pages() });
    const fire = (type: `audit.${string}`, resourceId: string, accountId = 'acc_1') =>
      storage.write((tx) =>
        append(tx, { type, accountId, resourceType: 'plant', resourceId, actor: 'usr_1', data: { leaf: 1 } }),
      );
    const list = async (query: Call<'events.list'>['query'] = {}, accountId = 'acc_1') => {
      const principal = { kind: 'key', accountId } as Principal;
      return await routes['events.list']({ principal, query } as unknown as Call<'events.list'>);
    };
    const numbered = async () => {
      dispatcher.start();
      await until(async () => !(await hasUntold(storage.reader)), { describe: 'the numbers' });
      await dispatcher.stop();
    };
    return { fire, list, numbered };
  }

  it('events are filtered by type, type prefix, resource and time', async () => {
    const { fire, list, numbered } = await audited();
    const before = new Date(Date.now() - 60_000).toISOString();
    await fire('audit.key_created', 'fern');
    await fire('audit.login', 'moss');
    await numbered();
    const types = async (query: Parameters<typeof list>[0]) => (await list(query)).data.map(({ type }) => type);
    expect(await types({ type: 'audit.login' })).toEqual(['audit.login']);
    expect(await types({ type: 'audit.*' })).toEqual(['audit.login', 'audit.key_created']);
    for (const type of ['aud.*', 'audit%.*', 'audit', 'AUDIT.*', '.*']) expect(await types({ type }), type).toEqual([]);
    expect(await types({ resource_type: 'plant', resource_id: 'fern' })).toEqual(['audit.key_created']);
    expect(await types({ resource_type: 'definition' })).toEqual([]);
    expect(await types({ since: before })).toHaveLength(2);
    expect(await types({ until: before })).toEqual([]);
    expect(await types({ type: 'audit.*', after: 1 })).toEqual(['audit.login']);
  });

  it('the numbered events of the account are listed, newest first', async () => {
    const { fire, list, numbered } = await audited();
    await fire('audit.a', 'fern');
    await fire('audit.b', 'moss', 'acc_2');
    await fire('audit.c', 'fern');
    // On PostgreSQL commits may overtake each other, so no event is shown before it has its number.
    expect((await list()).data).toHaveLength(engine.name === 'postgres' ? 0 : 2);
    await numbered();
    const { data, pagination } = await list();
    expect(data.map((event) => [event.seq, event.type])).toEqual([
      [3, 'audit.c'],
      [1, 'audit.a'],
    ]);
    expect(data[0]).toMatchObject({
      account_id: 'acc_1',
      resource_type: 'plant',
      resource_id: 'fern',
      actor: 'usr_1',
      data: { leaf: 1 },
    });
    expect(pagination.total).toBe(2);
    expect((await list({}, 'acc_2')).data).toHaveLength(1);
  });

  it('events can be followed without gaps from any number on', async () => {
    const { fire, list, numbered } = await audited();
    for (let i = 0; i < 5; i++) await fire('audit.a', `plant ${i}`);
    await numbered();
    const followed: number[] = [];
    for (let after = 0; ; after = followed.at(-1) ?? 0) {
      const { data } = await list({ after, per_page: 2 });
      if (data.length === 0) break;
      followed.push(...data.map((event) => event.seq));
    }
    expect(followed).toEqual([1, 2, 3, 4, 5]);
  });

  it('events are filtered by type and resource, with pages', async () => {
    const { fire, list, numbered } = await audited();
    await fire('audit.a', 'fern');
    await fire('audit.b', 'fern');
    await fire('audit.a', 'moss');
    await numbered();
    const seqs = async (query: Call<'events.list'>['query']) => (await list(query)).data.map((event) => event.seq);
    expect(await seqs({ type: 'audit.a' })).toEqual([3, 1]);
    expect(await seqs({ resource_id: 'fern' })).toEqual([2, 1]);
    expect(await seqs({ type: 'audit.a', resource_id: 'fern' })).toEqual([1]);
    expect(await seqs({ page: 2, per_page: 2 })).toEqual([1]);
    expect(await seqs({ after: 1, type: 'audit.a' })).toEqual([3]);
  });
});
