import { once } from 'node:events';
import { createServer } from 'node:http';
import { join } from 'node:path';
import type { ManifestRoute } from '@hortus/contract/template/manifest';
import { temporaryFolder } from '@hortus/testkit/temporary-folder';
import { expect, test } from 'vitest';
import type { ContainerFacts } from '../engine/container-facts.ts';
import type { Engine } from '../engine/engine.ts';
import type { RelayTo } from '../instances/ways.ts';
import { label } from '../plan/labels.ts';
import { factsOfTask } from '../swarm/current-tasks.ts';
import { service, task } from '../swarm/testing/swarm-facts.ts';
import { runSmoke, type SmokeRun } from './smoke.ts';

const route = {
  name: 'web',
  component: 'web',
  port: 8080,
  host: 'a.example.org',
  path: '/',
  strip: false,
  tls: 'auto',
};
const http = { route: 'web', path: '/', expect: 200 };
const node = { id: 'n2', name: 'second' } as Parameters<typeof factsOfTask>[2];
const labels = { [label.instance]: 'shop', [label.component]: 'web' };

/** The web server as a task on another node. */
const elsewhere = (overrides: Parameters<typeof task>[0] = {}): ContainerFacts =>
  factsOfTask(service({ name: 'shop' }), task({ labels, ...overrides }), node);

const run = (container: ContainerFacts, relayTo: RelayTo, more: Partial<SmokeRun> = {}) =>
  runSmoke({
    engine: {} as Engine,
    manifest: { smoke: [{ http }, { http }], routes: [route as ManifestRoute] },
    containerOf: async () => container,
    relayTo,
    timeoutMs: 20_000,
    ...more,
  });

/** A relay to a web server whose first answers are failures. */
async function openRelayed(failures: number) {
  const folder = temporaryFolder('relayed');
  const socketPath = join(folder.path, 'socket');
  let calls = 0;
  const web = createServer((_, response) => {
    response.statusCode = ++calls > failures ? 200 : 503;
    response.end();
  }).listen(socketPath);
  await once(web, 'listening');
  const seen: string[] = [];
  const relayTo: RelayTo = async ({ task: name, port }) => {
    seen.push(`opened ${name}:${port}`);
    return { socketPath, [Symbol.asyncDispose]: async () => void seen.push('closed') };
  };
  return {
    relayTo,
    seen,
    calls: () => calls,
    async [Symbol.asyncDispose]() {
      web.close();
      await folder.remove();
    },
  };
}

test('all tries and checks of a port use one relay, which is closed at the end', async () => {
  await using relayed = await openRelayed(2);
  expect(await run(elsewhere(), relayed.relayTo)).toMatchObject({ passed: true });
  expect(relayed.calls()).toBe(4);
  expect(relayed.seen).toEqual(['opened shop.1.task:8080', 'closed']);
});

test('an aborted test ends the opening of its relay', async () => {
  const aborted = new AbortController();
  const relayTo: RelayTo = (_, signal) =>
    new Promise((_resolve, reject) => {
      signal?.addEventListener('abort', () => reject(signal.reason));
      aborted.abort();
    });
  const { checks } = await run(elsewhere(), relayTo, { signal: aborted.signal });
  expect(checks.map(({ seen }) => seen)).toEqual(Array(2).fill('nothing: the test was aborted'));
});

test('a component on the network of another node is refused by name, without a retry', async () => {
  let polls = 0;
  const containerOf = async () => {
    polls++;
    return elsewhere({ hostNetwork: true });
  };
  const relayTo = () => expect.fail('a relay to the network of a node');
  const { checks } = await run(elsewhere(), relayTo, { containerOf });
  const refusal = 'web uses the network of node second, whose ports this daemon does not reach.';
  expect([polls, ...checks.map(({ seen }) => seen)]).toEqual([2, refusal, refusal]);
});
