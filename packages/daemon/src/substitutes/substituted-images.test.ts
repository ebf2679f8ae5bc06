import { randomBytes } from 'node:crypto';
import type { SignedManifest } from '@hortus/contract/resources/manifest';
import { askDocker } from '@hortus/testkit/docker-request';
import { busyboxImage } from '@hortus/testkit/images';
import { temporaryFolder } from '@hortus/testkit/temporary-folder';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Turns } from '../concurrency/turns.ts';
import { detectDrift } from '../drift/detect-drift.ts';
import type { Engine } from '../engine/engine.ts';
import { type Journal, openJournal } from '../journal/journal.ts';
import { component, manifest } from '../plan/testing/manifests.ts';
import { prune } from '../prune/prune.ts';
import { TestServer } from '../rollout/testing/server.ts';
import { id } from '../testing/signing.ts';
import { substitutesFrom } from './substitutes.ts';
import { substitutingEngine } from './substituting-engine.ts';

/** No registry answers there, so that every attempt to pull fails at once. */
const repository = '127.0.0.1:1/team/page';
const pinned = `${repository}:2.1.0@sha256:${'a'.repeat(64)}`;
const local = `hortus-test/substitute-${randomBytes(4).toString('hex')}:local`;

let server: TestServer;
let engine: Engine;
beforeAll(async () => {
  server = await TestServer.open();
  engine = substitutingEngine(server.engine, substitutesFrom({ [repository]: local }));
  await makeLocal('old');
});
afterAll(async () => {
  await server.close();
  await askDocker(server.socketPath, 'DELETE', `/images/${local}?force=true`);
});

const makeLocal = (word: string) => busyboxImage(server.socketPath, local, { files: { '/word': word } });
const main = (image: string, more = {}) => component('main', { image, command: ['sleep', '1000'], ...more });
const said = () => server.log.map(({ message }) => message).join('\n');

describe('an image with a local substitute', () => {
  it('runs without a pull, and the deployment records what ran', async () => {
    const uid = server.newUid();
    const result = await server.deploy(uid, [main(pinned)], { engine });
    expect(result).toMatchObject({
      status: 'success',
      images: [{ component: 'main', image: pinned, digest: null, substitute: local }],
      components: [{ name: 'main', image: local }],
    });
    expect(said()).toContain(`Using the local image ${local} instead of ${pinned}`);
    expect(await server.run(uid, 'cat', '/word')).toBe('old');
    expect((await server.inspect(uid)).Config.Image).toBe(local);
  });

  it('does not drift, and a further deployment changes nothing but still records it', async () => {
    const uid = server.newUid();
    await server.deploy(uid, [main(pinned)], { engine });
    const { Id: container } = await server.inspect(uid);
    const again = await server.deploy(uid, [main(pinned)], { engine });
    expect(said()).toContain('nothing to do');
    expect(again.images).toEqual([{ component: 'main', image: pinned, digest: null, substitute: local }]);
    expect((await server.inspect(uid)).Id).toBe(container);
    const about = { instance_uid: uid, server_id: server.id, definition_id: id('def'), revision: 2 };
    const kept = { ...manifest(uid, [main(pinned)]), ...about } as SignedManifest;
    const journal = { manifests: { imagesOf: () => again.images ?? [] } } as unknown as Pick<Journal, 'manifests'>;
    expect(await detectDrift({ engine, ingress: server.ingress, journal }, kept)).toEqual([]);
    expect(await detectDrift({ engine: server.engine, ingress: server.ingress, journal }, kept)).toEqual([
      { component: 'main', field: 'image', declared: pinned, actual: local },
    ]);
  });

  it('is replaced by a renewal when the local image has changed, without a pull', async () => {
    const uid = server.newUid();
    await server.deploy(uid, [main(pinned)], { engine });
    await makeLocal('new');
    expect(await server.deploy(uid, [main(pinned)], { engine, renew: true })).toMatchObject({ status: 'success' });
    expect(await server.run(uid, 'cat', '/word')).toBe('new');
  });

  it('that is missing fails the deployment with both names', async () => {
    const missing = substitutingEngine(server.engine, substitutesFrom({ [repository]: 'hortus-test/none:local' }));
    const result = await server.deploy(server.newUid(), [main(pinned)], { engine: missing });
    expect(result).toMatchObject({ status: 'failed', reason: 'image' });
    expect(result.error).toContain(
      `The local image hortus-test/none:local, which this server uses instead of ${pinned}`,
    );
  });

  it('counts as drift once the settings name another image', async () => {
    const uid = server.newUid();
    await server.deploy(uid, [main(pinned)], { engine });
    const other = 'hortus-test/busybox:1';
    const changed = substitutingEngine(server.engine, substitutesFrom({ [repository]: other }));
    const result = await server.deploy(uid, [main(pinned)], { engine: changed });
    expect(result).toMatchObject({ status: 'success', images: [{ substitute: other }] });
    expect((await server.inspect(uid)).Config.Image).toBe(other);
  });

  it('is not claimed by a label of a manifest', async () => {
    const uid = server.newUid();
    const labels = { 'hortus.substituted_image': 'docker.io/library/nginx:1.29.2' };
    await server.deploy(uid, [main('hortus-test/busybox:1', { labels })], { engine });
    expect((await server.inspect(uid)).Config.Labels).not.toHaveProperty('hortus.substituted_image');
    expect(await engine.inspect(uid)).toMatchObject({ image: 'hortus-test/busybox:1' });
  });

  it('is never pruned, even if it was pulled once', async () => {
    await using folder = temporaryFolder('prune');
    const journal = openJournal(folder.path);
    journal.pulledImages.add(local);
    const params = { dry_run: false, living: [] };
    const outcome = await prune({ engine, journal, turns: new Turns(), serverId: 'srv_none', params });
    journal.close();
    expect(JSON.parse(outcome.output)).toMatchObject({ images: [], problems: [] });
    expect(await server.engine.hasImage(local)).toBe(true);
  });
});

it('without substitutes a pinned image is pulled, and the error names it', async () => {
  const result = await server.deploy(server.newUid(), [main(pinned)]);
  expect(result).toMatchObject({ status: 'failed', reason: 'image' });
  expect(result.error).toContain(`Could not pull image ${pinned}`);
});
