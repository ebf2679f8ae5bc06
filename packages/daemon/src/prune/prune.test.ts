import { randomBytes } from 'node:crypto';
import { askDocker } from '@hortus/testkit/docker-request';
import { busyboxImage } from '@hortus/testkit/images';
import { type Registry, startRegistry } from '@hortus/testkit/registry';
import { temporaryFolder } from '@hortus/testkit/temporary-folder';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Turns } from '../concurrency/turns.ts';
import { type Journal, openJournal } from '../journal/journal.ts';
import { component } from '../plan/testing/manifests.ts';
import { TestServer } from '../rollout/testing/server.ts';
import { prune } from './prune.ts';

let server: TestServer;
let registry: Registry;
let journal: Journal;
const folder = temporaryFolder('prune');
/** A separate image: other tests may rebuild a shared one meanwhile. */
const image = `hortus-test/prune-${randomBytes(4).toString('hex')}:1`;

beforeAll(async () => {
  [server, registry] = await Promise.all([TestServer.open(), startRegistry()]);
  await busyboxImage(server.socketPath, image);
  journal = openJournal(folder.path);
});
afterAll(async () => {
  journal.close();
  await server.close();
  await registry[Symbol.asyncDispose]();
  await folder.remove();
});

async function run(params: Record<string, unknown>) {
  const { engine, id: serverId } = server;
  const outcome = await prune({ engine, journal, turns: new Turns(), serverId, params });
  expect(outcome.error).toBeUndefined();
  return JSON.parse(outcome.output);
}

const storage = (uid: string) => [
  { name: 'data', volume: `${uid}_data`, mount_path: '/data', read_only: false, critical: true },
];
const stored = (uid: string) => component('main', { image, command: ['sleep', '1000'], storage: storage(uid) });
const docker = async (method: 'POST' | 'DELETE', path: string, body?: object) => {
  const { status, text } = await askDocker(server.socketPath, method, path, body);
  if (status >= 300) throw new Error(`${method} ${path}: ${text}`);
};

it('prune removes leftovers of removed instances after a dry run, and nothing of other owners', async () => {
  const word = randomBytes(4).toString('hex');
  const [gone, living] = [server.newUid(), server.newUid()];
  const publish = (name: string) =>
    registry.publish(server.socketPath, `${name}-${word}`, '1', { files: { '/word': name } });
  const [unused, foreign] = [await publish('unused'), await publish('foreign')];
  await server.deploy(gone, [stored(gone)]);
  await server.deploy(living, [stored(living)]);
  journal.pulledImages.add(unused);
  journal.pulledImages.add(image);
  const { engine } = server;
  await engine.pull(unused, () => {});
  await engine.pull(foreign, () => {});
  // Objects of other owners, some with similar names and labels.
  const like = { 'hortus.managed': 'true', 'hortus.instance': gone, 'hortus.server': 'srv_other' };
  const foreigner = `foreign-${word}`;
  await docker('POST', `/containers/create?name=${foreigner}`, { Image: image, Labels: like });
  await docker('POST', '/networks/create', { Name: foreigner, Labels: { 'hortus.managed': 'true' } });
  await docker('POST', '/volumes/create', { Name: foreigner, Labels: like });

  const expected = {
    containers: [gone],
    networks: [`hortus-${gone}`],
    images: [unused],
    volumes: [],
    kept_volumes: [`${gone}_data`],
    problems: [],
  };
  expect(await run({ dry_run: true, living: [living] })).toEqual({ dry_run: true, ...expected });
  expect((await engine.inspect(gone))?.state).toBe('running');
  expect(await run({ dry_run: false, living: [living] })).toEqual({ dry_run: false, ...expected });
  expect(await engine.inspect(gone)).toBeUndefined();
  expect(await engine.hasImage(unused)).toBe(false);
  expect(journal.pulledImages.all()).toEqual([image]);
  // Data is removed only by name, and only ours.
  const asked = { dry_run: false, living: [living], volumes: [`${gone}_data`, `${living}_data`, foreigner] };
  expect(await run(asked)).toMatchObject({ containers: [], networks: [], images: [], volumes: [`${gone}_data`] });
  expect(await run(asked)).toMatchObject({ volumes: [], kept_volumes: [] });

  expect((await engine.inspect(living))?.state).toBe('running');
  expect(await engine.hasImage(foreign)).toBe(true);
  expect(await engine.inspect(foreigner)).toBeDefined();
  const names = async (what: 'networks' | 'volumes', labels: Record<string, string>) =>
    (await engine[what]({ labels })).map(({ name }) => name);
  expect(await names('networks', { 'hortus.managed': 'true' })).toContain(foreigner);
  expect(await names('volumes', { 'hortus.server': 'srv_other' })).toContain(foreigner);
  expect(await names('volumes', { 'hortus.instance': living })).toEqual([`${living}_data`]);
  await docker('DELETE', `/containers/${foreigner}?force=true`);
  await docker('DELETE', `/networks/${foreigner}`);
  await docker('DELETE', `/volumes/${foreigner}`);
  await docker('DELETE', `/images/${foreign}`);
});

it('prune does nothing without the list of existing instances', async () => {
  const { engine, id: serverId } = server;
  const outcome = await prune({ engine, journal, turns: new Turns(), serverId, params: { dry_run: false } });
  expect(outcome).toMatchObject({ status: 'failed', error: expect.stringContaining('list the existing instances') });
});
