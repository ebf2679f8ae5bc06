import { afterAll, beforeAll, expect, test } from 'vitest';
import { component } from '../plan/testing/manifests.ts';
import { id } from '../testing/signing.ts';
import { image, TestServer } from './testing/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await TestServer.open();
});
afterAll(() => server.close());

const keeper = (uid: string) =>
  component('main', {
    image,
    command: ['sleep', '1000'],
    storage: [{ name: 'data', volume: `${uid}_data`, mount_path: '/data', read_only: false, critical: true }],
  });
const [old, young] = [{ definitionId: id('def', 1) }, { definitionId: id('def', 2) }];

test('a definition never mounts the volume of another one with the same name', async () => {
  const uid = server.newUid();
  expect(await server.deploy(uid, [keeper(uid)], old)).toMatchObject({ status: 'success' });
  await server.run(uid, 'touch', '/data/kept');
  const beside = await server.deploy(uid, [keeper(uid)], young);
  expect(beside).toMatchObject({ status: 'failed', error: expect.stringContaining('not of this definition') });
  expect((await server.engine.inspect(uid))?.state).toBe('running');

  await server.engine.remove(uid, { force: true });
  await server.engine.removeNetwork(`hortus-${uid}`);
  const alone = await server.deploy(uid, [keeper(uid)], young);
  expect(alone).toMatchObject({ status: 'failed', error: expect.stringContaining('not created for this definition') });

  expect(await server.deploy(uid, [keeper(uid)], old)).toMatchObject({ status: 'success' });
  expect(await server.run(uid, 'ls', '/data')).toContain('kept');
});
