import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import type { NodeFacts } from '../engine/cluster.ts';
import { REVISION_HOST } from './ingress-document.ts';
import { askNode, revisionServed } from './ingress-nodes.ts';
import { task } from './testing/swarm-facts.ts';

async function asked(listener: RequestListener): Promise<string | undefined> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    return await askNode('127.0.0.1', (server.address() as AddressInfo).port);
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

it('a node is asked for its revision, and a strange or endless response is none', async () => {
  expect(await asked(({ headers }, response) => response.end(headers.host))).toBe(REVISION_HOST);
  expect(await asked((_, response) => response.writeHead(404).end('no'))).toBeUndefined();
  expect(await asked((_, response) => response.end('x'.repeat(10_000)))).toBeUndefined();
  expect(await asked(({ socket }) => socket.destroy())).toBeUndefined();
  expect(await askNode('127.0.0.1', 1)).toBeUndefined();
});

const node = (name: string, overrides: Partial<NodeFacts> = {}): NodeFacts => ({
  ...{ id: name, name, state: 'ready', availability: 'active', role: 'worker', isLeader: false, address: name },
  ...{ labels: { 'hortus.ingress': 'true' }, cpus: 1, memoryBytes: 1 },
  ...overrides,
});

it('waits for every usable node of the ingress, and names the reason of one that fails', async () => {
  const nodes = [node('a'), node('b'), node('c', { availability: 'drain' }), node('d', { labels: {} })];
  const tasks = [task({ node: 'b', state: 'rejected', error: 'port 80 is already in use' })];
  const cluster = { nodes: async () => nodes, tasks: async () => tasks };
  const asks: string[] = [];
  let first = true;
  const ask = async (address: string) => {
    asks.push(address);
    // The old routes answer once more while Caddy reloads.
    if (address === 'a' && asks.filter((ask) => ask === 'a').length === 2 && first) {
      first = false;
      return 'old';
    }
    return address === 'a' ? 'new' : undefined;
  };
  const waiting = { cluster, ask, port: 80, revision: 'new', progress: () => {}, signal: new AbortController().signal };
  expect(await revisionServed({ ...waiting, withinMs: 3_000 })).toEqual([
    'The ingress of node b does not serve the routes: port 80 is already in use',
  ]);
  expect(new Set(asks)).toEqual(new Set(['a', 'b']));
  expect(asks.filter((ask) => ask === 'a').length).toBeGreaterThan(3);
});
