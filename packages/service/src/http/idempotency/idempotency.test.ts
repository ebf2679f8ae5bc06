import { standardBackup } from '@hortus/contract/resources/backup-settings';
import { expect, it } from 'vitest';
import type { Principal } from '../../identity/principal.ts';
import { conflict } from '../../problem.ts';
import { newId } from '../../records/ids.ts';
import { OutcomeUnknown, type Storage } from '../../storage/storage.ts';
import { onDifferingEngines } from '../../testing/engines.ts';
import type { Authenticator } from '../gate.ts';
import { bearer, fakeAuthenticator, principals, serve } from '../testing/serve.ts';
import { removeReplaySecrets } from './retention.ts';

const MINUTE = 60 * 1000;
const DAY = 24 * 60 * MINUTE;

/** Creates a row of settings for every call, so that what was created can be counted. */
async function serveCreating(storage: Storage, authenticator: Authenticator = fakeAuthenticator) {
  let failures = 0;
  const service = await serve({
    storage,
    authenticator,
    config: { rateLimits: { free: 1000, pro: 1000, enterprise: 1000, anonymous: 1000, server: 1000 } },
    handlers: {
      'keys.create': ({ body, write }) =>
        write(async (tx) => {
          const name = newId('key');
          await tx.db.insertInto('settings').values({ name, value: body.name }).execute();
          if (failures-- > 0) throw conflict('name', 'taken', 'is taken.');
          return { success: true, data: { id: name, key: `the secret itself ${name}` } as never };
        }),
    },
  });
  const create = (key: string | undefined, name = 'ci', as = 'writer') =>
    service.fetch('/api/v1/account/keys', {
      method: 'POST',
      headers: {
        ...bearer(as),
        'content-type': 'application/json',
        ...(key !== undefined && { 'idempotency-key': key }),
      },
      body: JSON.stringify({ name, permissions: ['templates:read'] }),
    });
  /** The answer to a creation; its shape is the handler's above. */
  const onResponse = async (...asked: Parameters<typeof create>) =>
    (await (await create(...asked)).json()) as { data: { id: string; key: string } };
  const created = async () => (await storage.reader.db.selectFrom('settings').select('name').execute()).length;
  return { ...service, create, responded: onResponse, created, fail: (times: number) => (failures = times) };
}

/** Of more than a megabyte. */
const bundleWith = (secret: string) => ({
  format: 1,
  name: 'Blog',
  instance_uid: 'blog',
  template: { species: 'inkwell', version: '1.0.0', spec_hash: `sha256:${'0'.repeat(64)}`, spec: {} },
  revision: 1,
  profile: 'production',
  variant: null,
  inputs: {},
  watch_seconds: 0,
  heal: false,
  backup: standardBackup,
  secrets: Array.from({ length: 20 }, (_, i) => ({ name: `s${i}`, kind: 'generated', value: secret.repeat(60_000) })),
  volumes: [],
  exported_at: '2026-01-02T03:04:05Z',
});

onDifferingEngines('concurrent requests and lost commits', (engine) => {
  it('the same key and body replays the response and creates nothing', async () => {
    await using service = await serveCreating(await engine.open());
    const first = await service.create('k1');
    const second = await service.create('k1');
    expect([first.status, second.status]).toEqual([201, 201]);
    expect([first.headers.get('idempotent-replayed'), second.headers.get('idempotent-replayed')]).toEqual([
      null,
      'true',
    ]);
    expect(await second.text()).toBe(await first.text());
    expect(await service.created()).toBe(1);
  });

  it('another body under the same key is refused, naming the header', async () => {
    await using service = await serveCreating(await engine.open());
    await service.create('k1');
    const other = await service.create('k1', 'another');
    expect(other.status).toBe(422);
    expect(await other.json()).toMatchObject({
      error: {
        code: 'VALIDATION_ERROR',
        message: expect.stringMatching(/^Idempotency-Key: /),
        details: { field: 'Idempotency-Key' },
      },
    });
    expect(await service.created()).toBe(1);
  });

  it('another key, account or credential, or no key, creates again', async () => {
    await using service = await serveCreating(await engine.open());
    for (const [key, as] of [
      ['k1'],
      ['k2'],
      ['k1', 'other'],
      ['k1', 'secondWriter'],
      [undefined],
      [undefined],
    ] as const) {
      expect((await service.create(key, 'ci', as)).headers.get('idempotent-replayed')).toBeNull();
    }
    expect(await service.created()).toBe(6);
  });

  it('concurrent requests create once and all get the result', async () => {
    await using service = await serveCreating(await engine.open());
    const responses = await Promise.all(Array.from({ length: 20 }, () => service.create('k1')));
    const bodies = await Promise.all(responses.map((response) => response.text()));
    expect(responses.map((response) => response.status)).toEqual(Array(20).fill(201));
    expect(new Set(bodies).size).toBe(1);
    expect(responses.filter((response) => response.headers.get('idempotent-replayed') === null)).toHaveLength(1);
    expect(await service.created()).toBe(1);
  });

  it('a key does not receive the secret that another key of the account created', async () => {
    await using service = await serveCreating(await engine.open());
    const mine = await service.responded('k1', 'ci', 'writer');
    const theirs = await service.responded('k1', 'ci', 'secondWriter');
    expect(theirs.data.key).not.toBe(mine.data.key);
    expect(await service.responded('k1', 'ci', 'writer')).toEqual(mine);
  });

  it('two credentials that race with one key each get what they created', async () => {
    await using service = await serveCreating(await engine.open());
    const ask = async (as: string) => (await service.responded('k1', 'ci', as)).data.id;
    const who = Array.from({ length: 20 }, (_, turn) => (turn % 2 === 0 ? 'writer' : 'secondWriter'));
    const ids = await Promise.all(who.map(ask));
    const of = (name: string) => new Set(ids.filter((_, turn) => who[turn] === name));
    expect([of('writer').size, of('secondWriter').size, new Set(ids).size]).toEqual([1, 1, 2]);
    expect(await service.created()).toBe(2);
  });

  it('authorisation comes before the replay', async () => {
    const writer = principals.writer as Extract<Principal, { kind: 'key' }>;
    let permissions = writer.permissions;
    const current = () => ({ ...writer, permissions });
    const authenticator = { ...fakeAuthenticator, authenticate: async () => current(), fromCache: current };
    await using service = await serveCreating(await engine.open(), authenticator);
    expect((await service.create('k1')).status).toBe(201);
    permissions = ['templates:read'];
    const refused = await service.create('k1');
    expect([refused.status, await refused.text()]).toEqual([403, expect.not.stringContaining('the secret itself')]);
  });

  it('a secret is replayed for 10 minutes; then it is null, with a hint how to replace it', async () => {
    let now = 1_000_000_000_000;
    await using service = await serveCreating(await engine.open({ clock: () => now }));
    const first = await service.responded('k1');
    now += 10 * MINUTE - 1;
    expect(await service.responded('k1')).toEqual(first);
    now += 1;
    const late = await service.create('k1');
    expect([late.status, late.headers.get('idempotent-replayed')]).toEqual([201, 'true']);
    expect(await late.json()).toEqual({
      success: true,
      data: { ...first.data, key: null },
      hint: expect.stringContaining('Revoke this key and create a new one.'),
    });
    expect(await service.created()).toBe(1);
  });

  it('the sealed secret is deleted when it is no longer replayed, and the rest of the response stays', async () => {
    let now = 1_000_000_000_000;
    const storage = await engine.open({ clock: () => now });
    await using service = await serveCreating(storage);
    const first = await service.responded('k1');
    const kept = async () => {
      const [row] = await storage.reader.db.selectFrom('idempotency').select(['response', 'secrets']).execute();
      return row;
    };
    const sealed = Buffer.from(first.data.key).toString('base64').slice(0, 12);
    expect((await kept())?.secrets).not.toBeNull();
    now += 11 * MINUTE;
    expect(await storage.write((tx) => removeReplaySecrets(tx, now - 10 * MINUTE, 100))).toBe(1);
    expect(await storage.write((tx) => removeReplaySecrets(tx, now - 10 * MINUTE, 100))).toBe(0);
    expect(await kept()).toMatchObject({ secrets: null, response: expect.not.stringContaining(sealed) });
    expect(await service.responded('k1')).toMatchObject({ data: { ...first.data, key: null } });
  });

  it('a failed request does not use up the key', async () => {
    await using service = await serveCreating(await engine.open());
    service.fail(1);
    expect((await service.create('k1')).status).toBe(422);
    expect(await service.created()).toBe(0);
    const again = await service.create('k1');
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([201, null]);
  });

  it('a large body is recognised, and hashed off the event loop', async () => {
    let created = 0;
    await using service = await serve({
      storage: await engine.open(),
      handlers: {
        'definitions.import': ({ write }) =>
          write(async () => ({ success: true, data: { id: `imp_${++created}` } as never })),
      },
    });
    const import_ = (secret: string) =>
      service.fetch('/api/v1/definitions/import', {
        method: 'POST',
        headers: { ...bearer('writer'), 'content-type': 'application/json', 'idempotency-key': 'k1' },
        body: JSON.stringify({ server_id: 'srv_1', bundle: bundleWith(secret) }),
      });
    const [first, second] = [await import_('a'), await import_('a')];
    expect([first.status, second.status, second.headers.get('idempotent-replayed')]).toEqual([202, 202, 'true']);
    expect(await second.text()).toBe(await first.text());
    expect((await import_('b')).status).toBe(422);
    expect(created).toBe(1);
  });

  it('a key is forgotten after a day', async () => {
    let now = 1_000_000_000_000;
    await using service = await serveCreating(await engine.open({ clock: () => now }));
    await service.create('k1');
    now += DAY - 1;
    expect((await service.create('k1')).headers.get('idempotent-replayed')).toBe('true');
    now += 1;
    expect((await service.create('k1', 'another')).status).toBe(201);
    expect((await service.create('k1', 'another')).headers.get('idempotent-replayed')).toBe('true');
    expect(await service.created()).toBe(2);
  });

  it('the response is stored encrypted, and the body only as a hash', async () => {
    const storage = await engine.open();
    await using service = await serveCreating(storage);
    await service.create('k1', 'a-very-private-name');
    const [row] = await storage.reader.db.selectFrom('idempotency').selectAll().execute();
    expect(row).toMatchObject({
      account_id: 'acc_a',
      credential: 'key_w',
      method: 'POST',
      path: '/api/v1/account/keys',
      key: 'k1',
      status: 201,
    });
    expect(JSON.stringify(row)).not.toMatch(/the secret itself|a-very-private-name/);
  });

  it('a commit whose response was lost is repeated and creates once', async () => {
    const storage = await engine.open();
    let isFirst = true;
    const losing: Storage = {
      ...storage,
      async write(work) {
        const value = await storage.write(work);
        if (!isFirst) return value;
        isFirst = false;
        throw new OutcomeUnknown();
      },
    };
    await using service = await serveCreating(losing);
    const response = await service.create('k1');
    expect([response.status, response.headers.get('idempotent-replayed')]).toEqual([201, 'true']);
    expect(await service.created()).toBe(1);
  });

  it('a key has 1 to 255 visible characters', async () => {
    await using service = await serveCreating(await engine.open());
    for (const key of ['', 'two words', 'x'.repeat(256), 'é']) {
      const response = await service.create(key);
      expect([key, response.status]).toEqual([key, 422]);
    }
    expect((await service.create('~'.repeat(255))).status).toBe(201);
  });
});
