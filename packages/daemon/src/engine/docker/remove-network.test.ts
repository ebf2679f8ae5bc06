import { expect, test } from 'vitest';
import { serveNetwork } from '../testing/served-network.ts';

const name = 'hortus-blog';

test('an endpoint whose container is gone does not keep its network', async () => {
  const endpoints = { 'ep-4f2a': { Name: 'blog-next' }, c0ffee: { Name: 'blog' } };
  await using served = await serveNetwork({ name, endpoints });
  expect(await served.engine.removeNetwork(name)).toBe('removed');
  expect(await served.engine.networks({ labels: {} })).toEqual([]);
});

test('a network is kept if the engine counts endpoints that it does not list', async () => {
  await using served = await serveNetwork({ name, endpoints: {}, lost: 1 });
  expect(await served.engine.removeNetwork(name)).toBe('kept');
});
