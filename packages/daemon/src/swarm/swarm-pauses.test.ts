import { afterAll, beforeAll, expect, test } from 'vitest';
import { endLeftoverPauses, whilePaused } from '../backup/pause.ts';
import { component } from '../plan/testing/manifests.ts';
import { swarmEngine } from './swarm-engine.ts';
import { swarmPauses } from './swarm-pauses.ts';
import { SwarmServer, web } from './testing/swarm-server.ts';

let server: SwarmServer;
beforeAll(async () => {
  server = await SwarmServer.open({ nodes: 1 });
}, 180_000);
afterAll(() => server.close());

test('the next leader starts what a dead one had stopped for a backup, and nothing that a user stopped', {
  timeout: 180_000,
}, async () => {
  const [paused, stopped] = [server.newUid(), server.newUid()];
  for (const uid of [paused, stopped]) {
    const result = await server.deploy(uid, [component('main', web(server.image, { replicas: 2 }))]);
    expect(result, result.error).toMatchObject({ status: 'success' });
  }
  const engine = swarmEngine(server.engine, server.cluster);
  const deps = { engine, pauses: swarmPauses(server.cluster, () => server.id) };
  const scaleOf = async (uid: string) => (await server.cluster.service(uid))?.replicas;
  await server.cluster.scaleService((await server.cluster.service(stopped))?.id ?? '', 0);
  // Nothing has to be stopped for the backup of a stopped instance.
  const taken = whilePaused(deps, { instanceUid: stopped, order: ['main'] }, async () => 'taken');
  expect(await taken).toMatchObject({ result: 'taken' });
  // The leader dies while the services are stopped.
  let died = () => {};
  void whilePaused(deps, { instanceUid: paused, order: ['main'] }, () => {
    died();
    return new Promise(() => {});
  });
  await new Promise<void>((resolve) => {
    died = resolve;
  });
  expect([await scaleOf(paused), await scaleOf(stopped)]).toEqual([0, 0]);
  const next = { engine, pauses: swarmPauses(server.cluster, () => server.id) };
  expect(await next.pauses.all()).toMatchObject([{ instanceUid: paused }]);
  await endLeftoverPauses(next);
  expect([await scaleOf(paused), await scaleOf(stopped)]).toEqual([2, 0]);
  expect(await next.pauses.all()).toEqual([]);
});
