import { beforeAll, expect, it } from 'vitest';
import { onBothEngines } from '../../../testing/engines.ts';
import { expectRefusal } from '../../../testing/published-response.ts';
import { type RunningService, startApp } from '../../../testing/running-service.ts';

const node = (over: object = {}) => ({
  id: 'aa1',
  hostname: 'node-1',
  role: 'worker',
  availability: 'active',
  state: 'ready',
  labels: { zone: 'a' },
  ...over,
});
const tasks = [{ instance_uid: 'blog', component: 'app', running: 2 }];

onBothEngines((engine) => {
  let service: RunningService;
  beforeAll(async () => {
    service = await startApp(engine);
  });

  async function cluster() {
    const body = { name: 'swarm-1', environment: 'staging', kind: 'cluster' };
    const { id, api_key: key } = (await service.request('POST', '/servers/register', { body })).json.data;
    const path = `/servers/${id}/nodes`;
    return {
      id: id as string,
      key: key as string,
      path,
      report: (nodes: object[], more: object = {}) => service.request('PUT', path, { body: { nodes }, ...more }),
      list: async () => (await service.request('GET', path)).json.data,
      events: async () =>
        (await service.eventsOf(id))
          .filter(({ type }) => type.startsWith('node.'))
          .map(({ type, data }) => ({ type, data })),
    };
  }

  it('the nodes of a cluster are those of the last report', async () => {
    const { id, list, report } = await cluster();
    expect(await list()).toEqual([]);
    const capacity = { cpus: 4, memory_bytes: 8_589_934_592 };
    const first = await report([
      node({ capacity, tasks, engine_version: '20.10.24' }),
      node({ id: 'bb2', hostname: 'a' }),
    ]);
    expect(first.json.data).toEqual({ nodes: 2 });
    expect(await list()).toMatchObject([
      { id: 'bb2', hostname: 'a', capacity: null, tasks: [], engine_version: null, server_id: id },
      { id: 'aa1', hostname: 'node-1', capacity, tasks, labels: { zone: 'a' }, state: 'ready' },
    ]);
    await report([node({ labels: {} })]);
    expect(await list()).toMatchObject([{ id: 'aa1', labels: {} }]);
  });

  it('a node that is lost or comes back is an event, which says what ran there', async () => {
    const { report, events, list } = await cluster();
    await report([node({ tasks })]);
    const [{ state_since: since }] = await list();
    await report([node({ tasks })]);
    expect(await list()).toMatchObject([{ state_since: since }]);
    await report([node({ state: 'down' })]);
    await report([node({ state: 'disconnected' })]);
    expect(await events()).toMatchObject([
      { type: 'node.lost', data: { node_id: 'aa1', hostname: 'node-1', tasks, tasks_left_out: 0 } },
    ]);
    await report([node({ state: 'unknown' })]);
    await report([node({ state: 'down' })]);
    await report([node({ tasks })]);
    expect((await events()).map(({ type }) => type)).toEqual(['node.lost', 'node.lost', 'node.returned']);
  });

  it('the event of a lost node names 20 components, and says how many more ran there', async () => {
    const { report, events } = await cluster();
    const many = Array.from({ length: 1_000 }, (_, number) => ({
      instance_uid: `blog-${number}`,
      component: 'app',
      running: 1,
    }));
    await report([node({ tasks: many })]);
    await report([node({ state: 'down' })]);
    const [lost] = await events();
    expect(lost).toMatchObject({ type: 'node.lost', data: { tasks: many.slice(0, 20), tasks_left_out: 980 } });
  });

  it('a node is drained and activated by an order to the daemon', async () => {
    const { path, report, id } = await cluster();
    await report([node()]);
    for (const [order, availability] of [
      ['drain', 'drain'],
      ['activate', 'active'],
    ]) {
      const { status, json } = await service.request('POST', `${path}/aa1/${order}`);
      expect(status).toBe(202);
      expect(json.execution).toMatchObject({ slug: 'hortus.node', params: { node_id: 'aa1', availability } });
    }
    expect((await service.request('POST', `${path}/zz9/drain`)).status).toBe(404);
    const outsider = await service.addAccount();
    expect((await outsider.request('GET', path)).status).toBe(404);
    expect((await outsider.request('POST', `/servers/${id}/nodes/aa1/drain`)).status).toBe(404);
  });

  it('only the leading member reports nodes, of its own cluster', async () => {
    const [mine, other] = [await cluster(), await cluster()];
    expect((await mine.report([node()], { key: mine.key })).json.error.details).toMatchObject({ reason: 'not_leader' });
    expect((await other.report([node()], { key: mine.key })).status).not.toBe(200);
    expect(await other.list()).toEqual([]);
  });

  it('reports are bounded, and ordinary servers have no nodes', async () => {
    const { report } = await cluster();
    const many = Array.from({ length: 501 }, (_, number) => node({ id: `n${number}` }));
    expectRefusal(await report(many), 'VALIDATION_ERROR', 'nodes');
    expectRefusal(await report([node({ id: '../x' })]), 'VALIDATION_ERROR', 'nodes');
    const endless = node({ capacity: { cpus: 1, memory_bytes: 1e25 } });
    expectRefusal(await report([endless]), 'VALIDATION_ERROR', 'nodes');
    expectRefusal(await report([node({ labels: { ['n'.repeat(129)]: 'x' } })]), 'VALIDATION_ERROR', 'nodes');
    expect((await report([node({ labels: { ['n'.repeat(128)]: 'x' } })])).status).toBe(200);
    const body = { name: 'web-1', environment: 'staging' };
    const { id } = (await service.request('POST', '/servers', { body })).json.data;
    const response = await service.request('PUT', `/servers/${id}/nodes`, { body: { nodes: [] } });
    expectRefusal(response, 'VALIDATION_ERROR', 'id');
    expect((await service.request('GET', `/servers/${id}/nodes`)).json.data).toEqual([]);
  });
});
