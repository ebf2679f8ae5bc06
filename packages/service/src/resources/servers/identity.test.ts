import { generateKeyPairSync } from 'node:crypto';
import { closeCodes } from '@hortus/contract/channel/channel';
import { type Permission, permissionNames } from '@hortus/contract/permissions';
import { manifestContext, orderContext } from '@hortus/template/sealing/contexts';
import { openFields } from '@hortus/template/sealing/sealed-fields';
import { sealingKeyFingerprint, sealingKeyText } from '@hortus/template/sealing/sealing-key';
import { until } from '@hortus/testkit/until';
import { beforeAll, describe, expect, it } from 'vitest';
import { DaemonSocket } from '../../testing/daemon-socket.ts';
import { onBothEngines } from '../../testing/engines.ts';
import { expectRefusal } from '../../testing/published-response.ts';
import { insertKeyRow, type RunningService, startApp } from '../../testing/running-service.ts';

const PASSWORD = 'hunter2hunter2';
let uids = 0;

/** Creates the key pair of a daemon. */
function keyPair() {
  const { publicKey, privateKey } = generateKeyPairSync('x25519');
  const key = sealingKeyText(publicKey);
  return { key, privateKey, fingerprint: sealingKeyFingerprint(key) };
}

onBothEngines((engine) => {
  let service: RunningService;
  beforeAll(async () => {
    service = await startApp(engine);
  });

  /** Creates a key of a member: all permissions but those of owners. */
  const memberKey = (without: readonly Permission[] = ['admin', 'account:write', 'data:export']) =>
    insertKeyRow(service.database, {
      account_id: service.accountId,
      permissions: JSON.stringify(permissionNames.filter((name) => !without.includes(name))),
    });

  async function registered(key = service.key) {
    const body = { name: 'server-1', environment: 'staging' };
    const { json } = await service.request('POST', '/servers/register', { body, key });
    const { id, api_key } = json.data as { id: string; api_key: string };
    return { id, key: api_key };
  }

  /** Creates a server with a definition that has a password. */
  async function setUp(server?: { id: string; key: string }) {
    const { id: server_id, key } = server ?? (await registered());
    const body = {
      species: 'inkwell',
      instance_uid: `blog-${++uids}`,
      server_id,
      inputs: { WEB_HOSTNAME: `blog-${uids}.example.org`, SMTP_PASSWORD: PASSWORD },
      profile: 'production',
    };
    const { status, json } = await service.request('POST', '/definitions', { body });
    expect(status).toBe(201);
    const definition = json.data.id as string;
    return {
      id: server_id,
      key,
      definition,
      record: async () => (await service.request('GET', `/servers/${server_id}`)).json.data,
      manifest: (sealingKey?: string, as = key) => {
        const query = new URLSearchParams({
          definition_id: definition,
          ...(sealingKey !== undefined && { sealing_key: sealingKey }),
        });
        return service.request('GET', `/manifest?${query}`, { key: as });
      },
      connect: (sealing_key?: string, as = key) => connect(as, sealing_key),
      reset: (body?: object, as = service.key) =>
        service.request('POST', `/servers/${server_id}/reset-identity`, { ...(body && { body }), key: as }),
      rotate: (as = service.key, query = '') =>
        service.request('POST', `/servers/${server_id}/rotate-key${query}`, { key: as }),
    };
  }

  function connect(api_key: string, sealing_key?: string): DaemonSocket {
    const daemon = new DaemonSocket(`${service.base.replace('http', 'ws')}/ws/server`, {
      auth: {
        api_key,
        capabilities: ['ack', 'journal', 'builtin', 'rotate', 'seal'],
        ...(sealing_key !== undefined && { sealing_key }),
      },
    });
    engine.afterwards(() => daemon.socket.terminate());
    return daemon;
  }

  const types = async (id: string) => (await service.eventsOf(id)).map(({ type }) => type);

  describe('servers:write without data:export', () => {
    it('cannot rotate a server key or reset an identity, so it reads no secret', async () => {
      const server = await setUp();
      const member = await memberKey();
      expectRefusal(await server.rotate(member), 'FORBIDDEN');
      expectRefusal(await server.rotate(member, '?force=true'), 'FORBIDDEN');
      expectRefusal(await server.reset({}, member), 'FORBIDDEN');
      expect((await server.manifest()).status).toBe(200);
    });

    it('is needed beside data:export: exporting alone cannot disrupt a server', async () => {
      const server = await setUp();
      const exporter = await memberKey(['admin', 'servers:write']);
      expectRefusal(await server.rotate(exporter), 'FORBIDDEN');
      expectRefusal(await server.reset({}, exporter), 'FORBIDDEN');
    });

    it('cannot move a definition to its own server, whose key would read the secrets', async () => {
      const server = await setUp();
      const member = await memberKey();
      const own = await registered(member);
      const move = (key: string, more = {}) =>
        service.request('POST', `/definitions/${server.definition}/migrate`, {
          key,
          body: { server_id: own.id, ...more },
        });
      const refused = await move(member);
      expectRefusal(refused, 'FORBIDDEN');
      expect(refused.json.error.details).toMatchObject({ reason: 'untrusted_server', field: 'server_id' });
      expect((await move(member, { dry_run: true })).status).toBe(202);
      expect((await move(service.key)).status).toBe(202);
    });

    it('can move definitions to a server whose key an owner has rotated', async () => {
      const server = await setUp();
      const member = await memberKey();
      const own = await registered(member);
      expect((await service.request('POST', `/servers/${own.id}/rotate-key?force=true`)).status).toBe(200);
      const body = { server_id: own.id };
      const moved = await service.request('POST', `/definitions/${server.definition}/migrate`, { key: member, body });
      expect(moved.status).toBe(202);
    });

    it('cannot use a saved config with a password on its own server', async () => {
      const config = {
        name: `config ${++uids}`,
        species: 'inkwell',
        inputs: { WEB_HOSTNAME: 'blog.example.org', SMTP_PASSWORD: PASSWORD },
      };
      const { json } = await service.request('POST', '/saved-configs', { body: config });
      const member = await memberKey();
      const own = await registered(member);
      const body = { saved_config_id: json.data.id, instance_uid: `blog-${++uids}`, server_id: own.id };
      expectRefusal(await service.request('POST', '/definitions', { body, key: member }), 'FORBIDDEN');
      expect((await service.request('POST', '/definitions', { body })).status).toBe(201);
    });

    it('cannot read a registry password by a definition on its own server', async () => {
      const registry = { host: 'docker.io', username: 'gardener', password: 'registry-password' };
      const made = await service.request('POST', '/registries', { body: registry });
      expect(made.status).toBe(201);
      const trusted = await setUp();
      expect(JSON.stringify((await trusted.manifest()).json)).toContain('registry-password');
      const own = await setUp(await registered(await memberKey()));
      const { status, json } = await own.manifest();
      expect(status).toBe(200);
      expect(json.data.registries).toEqual([]);
      await service.request('DELETE', `/registries/${made.json.data.id}`);
    });
  });

  describe('a server that never pinned a key pair', () => {
    it('gets values by its server key: a daemon of the published interface has no key pair', async () => {
      const server = await setUp();
      const { json } = await server.manifest();
      expect(JSON.stringify(json)).toContain(PASSWORD);
      expect(json.data.sealed).toBeUndefined();
      expect((await server.record()).identity).toEqual({
        status: 'unpinned',
        fingerprint: null,
        pinned_at: null,
        conflicting_fingerprint: null,
        conflict_seen_at: null,
      });
    });

    it('pins the first key pair that connects, once', async () => {
      const server = await setUp();
      const daemon = keyPair();
      await server.connect(daemon.key).received('authenticated');
      expect((await server.record()).identity).toMatchObject({ status: 'pinned', fingerprint: daemon.fingerprint });
      await server.connect(daemon.key).received('authenticated');
      expect((await types(server.id)).filter((type) => type === 'audit.server_identity_pinned')).toHaveLength(1);
    });

    it('pins the key pair of a daemon that only polls', async () => {
      const server = await setUp();
      const daemon = keyPair();
      expect((await server.manifest(daemon.key)).json.data.sealed.recipient).toBe(daemon.fingerprint);
      expect((await server.record()).identity.status).toBe('pinned');
    });

    it('pins one of two concurrent key pairs, and refuses the other', async () => {
      const server = await setUp();
      const daemons = Array.from({ length: 4 }, keyPair);
      const sockets = daemons.map(({ key }) => server.connect(key));
      const ends = sockets.map(async (socket) =>
        Promise.race([socket.closed, socket.received('authenticated').then(() => 'open')]),
      );
      const outcomes = await Promise.all(ends);
      expect(outcomes.filter((outcome) => outcome === closeCodes.forbidden)).toHaveLength(3);
      const { fingerprint } = (await server.record()).identity;
      expect(daemons[outcomes.indexOf('open')]?.fingerprint).toBe(fingerprint);
    });

    it('refuses a key that secrets cannot be sealed for', async () => {
      const server = await setUp();
      const low = Buffer.concat([Buffer.from('302a300506032b656e032100', 'hex'), Buffer.alloc(32)]).toString('base64');
      expectRefusal(await server.manifest(low), 'FORBIDDEN');
      expectRefusal(await server.manifest('nonsense'), 'VALIDATION_ERROR', 'sealing_key');
      expect(await server.connect(low).closed).toBe(closeCodes.forbidden);
      expect((await server.record()).identity.status).toBe('unpinned');
    });
  });

  describe('a stolen server key alone', () => {
    async function pinned() {
      const server = await setUp();
      const daemon = keyPair();
      const socket = server.connect(daemon.key);
      await socket.received('authenticated');
      return { ...server, daemon, socket };
    }

    it('reads no value: manifests are sealed for the pinned key pair', async () => {
      const { manifest, daemon } = await pinned();
      const { status, json } = await manifest(daemon.key);
      expect(status).toBe(200);
      expect(JSON.stringify(json)).not.toContain(PASSWORD);
      expect(JSON.stringify(openFields(json.data, daemon.privateKey, manifestContext(json.data)))).toContain(PASSWORD);
      expect(() => openFields(json.data, keyPair().privateKey, manifestContext(json.data))).toThrow();
    });

    it('gains nothing by omitting the capability, or by another key pair', async () => {
      const { manifest, record, id } = await pinned();
      const thief = keyPair();
      for (const shown of [undefined, thief.key]) {
        const response = await manifest(shown);
        expectRefusal(response, 'FORBIDDEN');
        expect(response.json.error.details.reason).toBe('identity');
        expect(response.json.error.message).toContain('reset-identity');
      }
      expect((await record()).identity.status).toBe('conflict');
      expect(await types(id)).toContain('audit.server_identity_conflict');
    });

    it('cannot replace the connection of the pinned daemon, which learns of the attempt', async () => {
      const { connect, socket, record } = await pinned();
      const thief = keyPair();
      const thieves = connect(thief.key);
      expect(await thieves.closed).toBe(closeCodes.forbidden);
      expect(thieves.reason).toContain('reset-identity');
      expect(await connect().closed).toBe(closeCodes.forbidden);
      expect(await socket.received('identity_conflict')).toMatchObject({ fingerprint: thief.fingerprint });
      expect(socket.isOpen).toBe(true);
      expect((await record()).identity).toMatchObject({
        status: 'conflict',
        conflicting_fingerprint: thief.fingerprint,
      });
    });

    it('never pins another key pair, however often it tries', async () => {
      const { daemon, manifest, record, connect } = await pinned();
      for (let time = 0; time < 3; time++) {
        await manifest(keyPair().key);
        await connect(keyPair().key).closed;
      }
      expect((await record()).identity.fingerprint).toBe(daemon.fingerprint);
      expect((await manifest(daemon.key)).status).toBe(200);
    });

    it('writes at most one conflict a minute', async () => {
      const { manifest, id } = await pinned();
      for (let time = 0; time < 5; time++) await manifest(keyPair().key);
      expect((await types(id)).filter((type) => type === 'audit.server_identity_conflict')).toHaveLength(1);
    });

    it('cannot read the key that replaces it: that is sealed too', async () => {
      const { socket, rotate, daemon } = await pinned();
      const { api_key } = (await rotate()).json.data;
      const message = await socket.received('rotate_key');
      expect(JSON.stringify(message)).not.toContain(api_key);
      expect(openFields(message, daemon.privateKey, orderContext(message)).api_key).toBe(api_key);
      expect(message).toMatchObject({ signature: expect.any(String), server_id: expect.any(String) });
    });
  });

  describe('resetting an identity', () => {
    it('is audited, closes the connection of the old daemon with the reason, and accepts the next one', async () => {
      const server = await setUp();
      const [old, next] = [keyPair(), keyPair()];
      const socket = server.connect(old.key);
      await socket.received('authenticated');
      const { status, json } = await server.reset();
      expect([status, json.data.identity.status]).toEqual([200, 'unpinned']);
      expect(await socket.closed).toBe(closeCodes.forbidden);
      expect(socket.reason).toContain('reset');
      expect(await types(server.id)).toContain('audit.server_identity_reset');
      await server.connect(next.key).received('authenticated');
      expect((await server.manifest(next.key)).status).toBe(200);
      expectRefusal(await server.manifest(old.key), 'FORBIDDEN');
    });

    it('can name the key to pin, so that no other is pinned first', async () => {
      const server = await setUp();
      const [old, next, thief] = [keyPair(), keyPair(), keyPair()];
      await server.connect(old.key).received('authenticated');
      await server.manifest(next.key);
      expectRefusal(await server.reset({ fingerprint: thief.fingerprint }), 'VALIDATION_ERROR', 'fingerprint');
      const { json } = await server.reset({ fingerprint: next.fingerprint });
      expect(json.data.identity).toMatchObject({ status: 'pinned', fingerprint: next.fingerprint });
      expectRefusal(await server.manifest(thief.key), 'FORBIDDEN');
      expect((await server.manifest(next.key)).status).toBe(200);
    });

    it('with the pinned key only dismisses the conflict', async () => {
      const server = await setUp();
      const daemon = keyPair();
      const socket = server.connect(daemon.key);
      await socket.received('authenticated');
      await server.manifest(keyPair().key);
      const { json } = await server.reset({ fingerprint: daemon.fingerprint });
      expect(json.data.identity).toMatchObject({ status: 'pinned', conflict_seen_at: null });
      expect((await server.manifest(daemon.key)).status).toBe(200);
      expect(socket.isOpen).toBe(true);
    });

    it('does not restore a key that was rotated by force before it', async () => {
      const server = await setUp();
      const socket = server.connect(keyPair().key);
      await socket.received('authenticated');
      const { api_key } = (await server.rotate(service.key, '?force=true')).json.data;
      expect(await socket.closed).toBe(closeCodes.unauthorized);
      expect(socket.reason).toContain('no longer valid');
      await server.reset();
      expectRefusal(await server.manifest(keyPair().key), 'UNAUTHORIZED');
      expect((await server.manifest(keyPair().key, api_key)).status).toBe(200);
    });
  });

  it('orders over the channel are signed for their server, and their secrets sealed', async () => {
    const server = await setUp();
    const daemon = keyPair();
    const socket = server.connect(daemon.key);
    await socket.received('authenticated');
    const order = await service.request('POST', `/servers/${server.id}/prune`, { body: { dry_run: true } });
    expect(order.status).toBe(202);
    const message = await until(() => socket.of('action_request')[0], { describe: 'the order' });
    expect(message).toMatchObject({ server_id: server.id, action: { type: 'builtin', slug: 'hortus.prune' } });
    expect(Date.parse(message.expires_at) - Date.parse(message.issued_at)).toBe(24 * 3_600_000);
    expect(message.signature).toEqual(expect.any(String));
  });
});
