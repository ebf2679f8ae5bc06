import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { until } from '@hortus/testkit/until';
import { expect, test } from 'vitest';
import { deploy, finished, inside, openInstallation, shareKeyPair } from './installation.ts';

test('of two polling daemons that see a deployment at once, only one runs it', {
  timeout: 240_000,
}, async () => {
  await using installation = await openInstallation();
  await using proxy = await openHoldingProxy(installation.service.root);
  const { client } = installation.service;
  const body = { species: 'website', instance_uid: 'contested', server_id: installation.serverId, inputs: {} };
  const { data } = await client.call('definitions.create', { body });
  const deployment = await deploy(installation, data.id);

  shareKeyPair(installation, ['first', 'second']);
  const daemons = ['first', 'second'].map((state) => installation.startDaemon({ state, url: `${proxy.root}/api/v1` }));
  const written = () => daemons.map(({ output }) => output).join('\n');
  await until(() => proxy.held() === 2, { describe: () => `both to claim it\n${written()}` });
  await proxy.open();
  expect(proxy.claims.sort()).toEqual([200, 422]);

  const outcome = await finished(installation, deployment);
  expect(outcome, outcome.error ?? '').toMatchObject({ status: 'success' });
  const created = outcome.logs.filter(({ step }) => step === 'create');
  expect(created).toHaveLength(1);
  const { engine } = installation;
  expect(await engine.containers({ labels: { 'hortus.instance': 'contested' } })).toHaveLength(1);
  expect(await inside(engine, 'contested', 'cat', '/www/index.html')).toBe('hello');
  // The losing daemon drops it and does not disturb the next deployment.
  const refusals = () => written().match(/a deployment could not be claimed/g) ?? [];
  await until(() => refusals().length > 0, { describe: 'the loser to say so' });
  expect(refusals()).toHaveLength(1);
  const again = await finished(installation, await deploy(installation, data.id));
  expect(again, again.error ?? '').toMatchObject({ status: 'success' });
});

/** Proxy in front of the service: blocks WebSockets and holds the first two claims until opened. */
async function openHoldingProxy(root: string) {
  const waiting = new Set<() => void>();
  const claims: number[] = [];
  let open = false;
  const server = createServer((incoming, outgoing) => {
    const claim = incoming.method === 'PATCH' && !open;
    const { method, headers, url } = incoming;
    const pass = () => {
      const onward = request(new URL(url ?? '/', root), { method, headers }, (response) => {
        if (claim) claims.push(response.statusCode ?? 0);
        outgoing.writeHead(response.statusCode ?? 500, response.headers);
        response.pipe(outgoing);
      });
      onward.on('error', () => outgoing.destroy());
      incoming.pipe(onward);
    };
    if (!claim) return pass();
    waiting.add(pass);
    // A retry means that the daemon gave up its first request.
    outgoing.on('close', () => waiting.delete(pass));
  });
  server.on('upgrade', (_, socket) => socket.destroy());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    root: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    claims,
    held: () => waiting.size,
    async open() {
      open = true;
      for (const pass of waiting) pass();
      await until(() => claims.length === 2, { describe: 'the answers to both claims' });
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
