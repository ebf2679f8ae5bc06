import { endpointRows } from '@hortus/contract/endpoints';
import { secretFieldsOf } from '@hortus/contract/records/secret-fields';
import { beforeAll, expect, it } from 'vitest';
import { newId } from '../records/ids.ts';
import { onBothEngines } from '../testing/engines.ts';
import { goodRequest } from '../testing/good-requests.ts';
import { expectPublished, expectRefusal, expectShape } from '../testing/published-response.ts';
import { insertKeyRow, type RunningService, startApp } from '../testing/running-service.ts';

/** Every row whose answers are kept and replayed. */
const creating = endpointRows.filter(([, row]) => row.idempotent);
const withSecrets = creating.filter(([, row]) => secretFieldsOf(row.response).length > 0);
const MINUTE = 60_000;

/** Keys and tokens end with 256 random bits; no id, hash or public key of an answer does. */
const SECRET = /(^|[#_])[\w-]{43}$/;

onBothEngines((engine) => {
  let service: RunningService;
  beforeAll(async () => {
    service = await startApp(engine);
  });

  it.each(creating)('%s returns secrets only in fields marked by the contract', async (name, row) => {
    const { method, path, options } = await goodRequest(name, service);
    const { json } = expectPublished(await service.request(method, path, options));
    const found = texts(json).filter(([, text]) => SECRET.test(text));
    const marked = secretFieldsOf(row.response).map((field) => field.path.join('.'));
    expect(found.map(([at]) => at).sort()).toEqual(marked.sort());
  });

  it.each(withSecrets)('%s replays its secret to the same credential for 10 minutes only', async (name, row) => {
    const { method, path, body = {} } = await goodRequest(name, service);
    const key = newId('job');
    const ask = () => service.request(method, path, { body, headers: { 'idempotency-key': key } });
    const first = expectPublished(await ask());
    expect((await ask()).json).toEqual(first.json);
    const { created_at } = await service.database.db
      .selectFrom('idempotency')
      .select('created_at')
      .where('key', '=', key)
      .executeTakeFirstOrThrow();
    await service.database.db
      .updateTable('idempotency')
      .set({ created_at: Number(created_at) - 10 * MINUTE })
      .where('key', '=', key)
      .execute();
    const late = expectPublished(await ask());
    expect([late.status, late.headers.get('idempotent-replayed')]).toEqual([row.status, 'true']);
    expect(texts(late.json).filter(([, text]) => SECRET.test(text))).toEqual([]);
    for (const { path: at, replacement } of secretFieldsOf(row.response)) {
      expect(at.reduce((inner, field) => inner[field], late.json)).toBeNull();
      expect(late.json.hint).toContain(replacement);
    }
    expectShape(row.response, late.json);
  });

  it.each(withSecrets)('%s creates again for another credential with the same key and body', async (name) => {
    const { method, path, body = {} } = await goodRequest(name, service);
    const second = await insertKeyRow(service.database, { account_id: service.accountId, permissions: '["admin"]' });
    const headers = { 'idempotency-key': newId('job') };
    const [mine, theirs] = await Promise.all(
      [service.key, second].map((key) => service.request(method, path, { body, headers, key })),
    );
    expect(theirs?.headers.get('idempotent-replayed')).toBeNull();
    if (name === 'gardens.follow' || name === 'clusters.addMember') {
      // Two gardens, or two members of a cluster, cannot have one name: the second credential is refused, and sees nothing of the first answer.
      const refused = [mine, theirs].filter((response) => (response?.status ?? 0) >= 400);
      expect(refused.map((response) => response?.json.error.details.reason)).toEqual(['taken']);
      return;
    }
    const secrets = new Set(
      [...texts(mine?.json), ...texts(theirs?.json)].flatMap(([, text]) => (SECRET.test(text) ? [text] : [])),
    );
    expect(secrets.size).toBe(2 * texts(mine?.json).filter(([, text]) => SECRET.test(text)).length);
  });

  it('a revoked key replays nothing', async () => {
    const { method, path, body = {} } = await goodRequest('keys.create', service);
    const headers = { 'idempotency-key': newId('job') };
    const { data } = (
      await service.request('POST', '/account/keys', {
        body: { name: 'maker', permissions: ['account:write', 'templates:read'] },
      })
    ).json;
    const ask = () => service.request(method, path, { body, headers, key: data.key });
    expect((await ask()).status).toBe(201);
    await service.request('DELETE', `/account/keys/${data.id}`);
    expectRefusal(await ask(), 'UNAUTHORIZED');
  });
});

function texts(value: unknown, at: readonly string[] = []): [string, string][] {
  if (typeof value === 'string') return [[at.join('.'), value]];
  if (value === null || typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([name, inner]) => texts(inner, [...at, name]));
}
