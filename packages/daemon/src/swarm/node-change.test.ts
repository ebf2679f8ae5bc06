import { afterAll, beforeAll, expect, test } from 'vitest';
import { changeNode } from './node-change.ts';
import { SwarmServer } from './testing/swarm-server.ts';

let server: SwarmServer;
beforeAll(async () => {
  server = await SwarmServer.open({ nodes: 1 });
}, 180_000);
afterAll(() => server.close());

test('a node of a Swarm is drained and activated, and both can be repeated', { timeout: 60_000 }, async () => {
  const [node] = await server.cluster.nodes();
  const node_id = node?.id ?? '';
  expect(node).toMatchObject({ availability: 'active', engineVersion: expect.stringMatching(/^\d+\./) });
  for (const availability of ['drain', 'drain', 'active', 'active']) {
    expect(await changeNode(server.cluster, { node_id, availability })).toMatchObject({ status: 'completed' });
    expect(await server.cluster.nodes()).toMatchObject([{ availability }]);
  }
});

test('an unknown node, or a daemon without a Swarm, is an error that says so', async () => {
  const params = { node_id: 'unknown', availability: 'drain' };
  expect(await changeNode(server.cluster, params)).toMatchObject({ error: 'The Swarm has no node unknown.' });
  expect(await changeNode(undefined, params)).toMatchObject({
    status: 'failed',
    error: expect.stringContaining('--cluster'),
  });
});
