import { randomBytes } from 'node:crypto';
import type { RegistryLogin } from '@hortus/contract/resources/manifest';
import { askDocker } from '@hortus/testkit/docker-request';
import { type Registry, registryLogin, startRegistry } from '@hortus/testkit/registry';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { component, manifest } from '../plan/testing/manifests.ts';
import { TestServer } from '../rollout/testing/server.ts';
import { pinned } from './digests.ts';
import { settledPins } from './settled-pins.ts';

let server: TestServer;
let open: Registry;
let locked: Registry;
beforeAll(async () => {
  [server, open, locked] = await Promise.all([TestServer.open(), startRegistry(), startRegistry({ locked: true })]);
});
afterAll(async () => {
  await server.close();
  await open[Symbol.asyncDispose]();
  await locked[Symbol.asyncDispose]();
});

const newName = () => `team/g${randomBytes(4).toString('hex')}`;
const says = (word: string) => ({ files: { '/word': word } });
const publish = (name: string, tag: string, word: string, at = open) =>
  at.publish(server.socketPath, name, tag, says(word));
const forgetImage = (ref: string) => askDocker(server.socketPath, 'DELETE', `/images/${ref}?force=true`);
const main = (image: string, more = {}) => component('main', { image, ...more });
const said = () => server.log.map(({ message }) => message).join('\n');

describe('an image', () => {
  it('is pulled from its registry and recorded with its digest', async () => {
    const image = await publish(newName(), '1', 'hello');
    const uid = server.newUid();
    const result = await server.deploy(uid, [main(image)]);
    expect(result).toMatchObject({
      status: 'success',
      images: [{ component: 'main', image, digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/) }],
    });
    expect(await server.run(uid, 'cat', '/word')).toBe('hello');
    expect(said()).toContain(`Pulled ${image}`);
  });

  it('that was never in a registry has no digest', async () => {
    const { images } = await server.deploy(server.newUid(), [main('hortus-test/busybox:1')]);
    expect(images).toEqual([{ component: 'main', image: 'hortus-test/busybox:1', digest: null }]);
  });

  it('that does not exist fails the deployment with the reason', async () => {
    const result = await server.deploy(server.newUid(), [main(`${open.host}/team/none:1`)]);
    expect(result).toMatchObject({ status: 'failed', reason: 'image' });
    expect(result.error).toContain('team/none:1');
  });

  it('with a floating tag is pulled again, and the local one is used if that fails', async () => {
    const name = newName();
    await publish(name, 'stable', 'old');
    const uid = server.newUid();
    const image = `${open.host}/${name}:stable`;
    await server.deploy(uid, [main(image)]);
    await publish(name, 'stable', 'new');
    await server.deploy(uid, [main(image, { env: { A: '2' } })]);
    expect(await server.run(uid, 'cat', '/word')).toBe('new');
    const away = `127.0.0.1:1/${name}:stable`;
    await askDocker(server.socketPath, 'POST', `/images/${image}/tag?repo=${away.slice(0, -7)}&tag=stable`);
    expect(await server.deploy(uid, [main(away)])).toMatchObject({ status: 'success' });
    expect(said()).toContain('using the local');
    await forgetImage(away);
  });
});

describe('an image whose tag has moved', () => {
  it('is kept until a renewal, which then replaces the containers of the old image', async () => {
    const name = newName();
    const image = await publish(name, '1', 'old');
    const uid = server.newUid();
    await server.deploy(uid, [main(image)]);
    await publish(name, '1', 'new');
    await forgetImage(image);
    await askDocker(server.socketPath, 'POST', `/images/create?fromImage=${open.host}/${name}&tag=1`);
    await server.deploy(uid, [main(image)]);
    expect(await server.run(uid, 'cat', '/word')).toBe('old');
    expect(said()).toContain('nothing to do');

    expect(await server.deploy(uid, [main(image)], { renew: true })).toMatchObject({ status: 'success', gap_ms: 0 });
    expect(await server.run(uid, 'cat', '/word')).toBe('new');
    const { Id: container } = await server.inspect(uid);
    expect(await server.deploy(uid, [main(image)], { renew: true })).toMatchObject({ status: 'success' });
    expect(said()).toContain(`${image} has not changed`);
    expect((await server.inspect(uid)).Id).toBe(container);
  });

  it('and cannot be pulled fails the renewal and leaves running containers alone', async () => {
    const uid = server.newUid();
    await server.deploy(uid, [main('hortus-test/busybox:1')]);
    const { Id: container } = await server.inspect(uid);
    const away = await server.deploy(uid, [main('hortus-test/busybox:1')], { renew: true });
    expect(away).toMatchObject({ status: 'failed', reason: 'image' });
    expect((await server.inspect(uid)).Id).toBe(container);
  });
});

describe('a registry that requires a login', () => {
  const login = (password: string): RegistryLogin[] => [{ ...registryLogin, host: locked.host, password }];

  it('gets the password of the manifest, which is not logged', async () => {
    const image = await publish(newName(), '1', 'private', locked);
    const uid = server.newUid();
    const result = await server.deploy(uid, [main(image)], { logins: login(registryLogin.password) });
    expect(result).toMatchObject({ status: 'success', images: [{ digest: expect.stringContaining('sha256:') }] });
    expect(await server.run(uid, 'cat', '/word')).toBe('private');
    expect(said()).not.toContain(registryLogin.password);
  });

  it('with a missing or wrong password is reported with advice', async () => {
    const image = await publish(newName(), '1', 'private', locked);
    const none = await server.deploy(server.newUid(), [main(image)]);
    expect(none).toMatchObject({ status: 'failed', reason: 'image' });
    expect(none.error).toContain(`If ${locked.host} requires a login, store one under /registries`);
    const wrong = await server.deploy(server.newUid(), [main(image)], { logins: login('wrong-password') });
    expect(wrong).toMatchObject({ status: 'failed', reason: 'image' });
    expect(wrong.error).toContain(`${locked.host} rejected the stored password of gardener`);
    expect(`${wrong.error}${said()}`).not.toContain('wrong-password');
  });

  it('does not get the password of another registry', async () => {
    const image = await publish(newName(), '1', 'private', locked);
    const logins = [{ ...registryLogin, host: open.host }];
    expect(await server.deploy(server.newUid(), [main(image)], { logins })).toMatchObject({ status: 'failed' });
  });
});

describe('a rollback', () => {
  it('restores the old image though the tag has moved, and leaves unchanged containers alone', async () => {
    const name = newName();
    const image = await publish(name, 'stable', 'old');
    const other = await publish(newName(), '1', 'data');
    const uid = server.newUid();
    const data = component('db', { image: other });
    const instance = { uid, name: uid, server_id: server.id };
    const first = await server.deploy(uid, [main(image), data]);
    await publish(name, 'stable', 'new');
    await server.deploy(uid, [main(image, { env: { A: '2' } }), data]);
    expect(await server.run(uid, 'cat', '/word')).toBe('new');
    const { Id: database } = await server.inspect(`${uid}-db`);
    const old = `${image}@${first.images?.[0]?.digest}`;
    // Removed from the engine too.
    await forgetImage(old.replace(':stable@', '@'));
    const back = pinned(manifest(uid, [main(image), data], { instance }), first.images ?? []);
    expect(back.components.map((component) => component.image)).toEqual([old, `${other}@${first.images?.[1]?.digest}`]);
    const { components } = await settledPins(server.engine, back);
    expect(components.map((component) => component.image)).toEqual([old, other]);
    const result = await server.deploy(uid, components);
    expect(result).toMatchObject({
      status: 'success',
      images: [{ image: old, digest: first.images?.[0]?.digest }, {}],
    });
    expect(await server.run(uid, 'cat', '/word')).toBe('old');
    expect((await server.inspect(`${uid}-db`)).Id).toBe(database);
  });
});
