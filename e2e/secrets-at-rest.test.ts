import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { endpointRows } from '@hortus/contract/endpoints';
import { openSqlite } from '@hortus/service/storage/sqlite/open';
import { openVault } from '@hortus/service/vault/vault';
import type { Canonical } from '@hortus/template/canonical/canonical-form';
import { exampleInputs } from '@hortus/template/inputs/example-inputs';
import { startReceiver } from '@hortus/testkit/receiver';
import { temporaryFolder } from '@hortus/testkit/temporary-folder';
import { until } from '@hortus/testkit/until';
import { expect, test } from 'vitest';
import { startService } from './service-process.ts';

/** User-supplied secret; searched like the generated ones. */
const webhookSecret = 'given-webhook-secret-3f9c1a';
const inputPassword = 'given-password-7b2e4d';

/** Calls every GET of the contract with an id of each kind. */
async function everyResponse(base: string, key: string, ids: Record<string, string>): Promise<string> {
  const texts: string[] = [];
  for (const [name, row] of endpointRows) {
    if (row.method !== 'GET') continue;
    const path = row.path.replace(
      /\{(\w+)\}/g,
      (_, param) => ids[`${name.split('.')[0]}.${param}`] ?? ids[param] ?? 'none',
    );
    const response = await fetch(`${base}${path}`, { headers: { authorization: `Bearer ${key}` } });
    texts.push(`${response.status} ${path} ${await response.text()}`);
  }
  return texts.join('\n');
}

test('no secret value appears in the database, the log, an event or a response', { timeout: 240_000 }, async () => {
  await using folder = temporaryFolder('secrets');
  await using receiver = await startReceiver();
  const service = await startService({ directory: folder.path, env: { HORTUS_LOG_LEVEL: 'trace' } });
  const { client } = service;
  await client.call('webhooks.create', {
    body: { url: receiver.url, events: ['definition.created', 'definition.updated'], secret: webhookSecret },
  });
  const registered = await client.call('servers.register', {
    body: { name: 'server-one', environment: 'production' },
    idempotencyKey: 'once',
  });
  const serverId = registered.data.id;
  const { data: key } = await client.call('keys.create', { body: { name: 'second', permissions: ['templates:read'] } });
  let definitionId = '';
  const templates = await Array.fromAsync(client.pages('templates.list', { query: { per_page: 100 } }));
  const species = templates.map((template) => template.species);
  for (const text of species) {
    const { data: template } = await client.call('templates.read', { params: { species: text }, query: {} });
    const spec = template.spec.canonical as Canonical;
    const passwords = [...spec.inputs.required, ...spec.inputs.optional].filter(({ type }) => type === 'password');
    const external = Object.keys(spec.secrets).filter((name) => spec.secrets[name]?.external);
    const inputs = exampleInputs(spec);
    for (const name of [...passwords.map((password) => password.name), ...external]) inputs[name] = inputPassword;
    // The example of one with a pattern stands in its template, so it cannot be searched for.
    for (const { name, pattern } of spec.inputs.optional)
      if (pattern && inputs[name] === inputPassword) delete inputs[name];
    const body = { species: text, instance_uid: `keeps-${text}`, server_id: serverId, inputs };
    const { data } = await client.call('definitions.create', { body, idempotencyKey: text });
    await client.call('definitions.update', { params: { id: data.id }, body: { profile: 'production' } });
    if (text === 'postgres') definitionId = data.id;
  }
  await until(() => receiver.requests.length >= species.length * 2, { within: 60_000, describe: 'every delivery' });
  // Also makes invalid calls: their errors must not quote a secret.
  await fetch(`${service.base}/definitions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${service.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ species: 'postgres', inputs: { NO_SUCH_INPUT: inputPassword }, secret: inputPassword }),
  });
  const ids = {
    id: definitionId,
    'servers.id': serverId,
    'keys.id': key.id,
    species: 'postgres',
    species_id: 'postgres',
  };
  const responses = await everyResponse(service.base, service.key, ids);
  expect(responses).toContain(`200 /definitions/${definitionId}/secrets`);
  const deliveries = receiver.requests.map(({ rawBody }) => rawBody.toString()).join('\n');
  await service.process.stop();

  const values = await secretValues(folder.path);
  expect(values.length).toBeGreaterThanOrEqual(5);
  const overrides = [registered.data.api_key, key.key, service.key, webhookSecret, inputPassword];
  const hidden = [...values, ...overrides.map((value) => ({ name: 'given', value }))];
  const places = {
    responds: responses,
    deliveries,
    log: service.process.output,
    ...Object.fromEntries(
      readdirSync(folder.path).map((file) => [file, readFileSync(join(folder.path, file), 'latin1')]),
    ),
  };
  for (const [place, text] of Object.entries(places)) {
    const found = hidden.filter(({ value }) => text.includes(value)).map(({ name }) => name);
    expect(found, `secrets in clear in ${place}`).toEqual([]);
  }
  expect(service.process.output.length, 'a log to look through').toBeGreaterThan(1000);
});

/** Decrypts the stored values with the vault; the names say which ones were found. */
async function secretValues(directory: string): Promise<{ name: string; value: string }[]> {
  const storage = await openSqlite(directory);
  try {
    const vault = await openVault(storage, { masterKey: undefined, dataDirectory: directory });
    const rows = await storage.reader.db
      .selectFrom('definition_secrets')
      .innerJoin('definitions', 'definitions.id', 'definition_secrets.definition_id')
      .select(['account_id', 'definition_id', 'instance_uid', 'definition_secrets.name', 'ciphertext'])
      .execute();
    return await Promise.all(
      rows.map(async ({ account_id, definition_id, instance_uid, name, ciphertext }) => {
        const context = `definition/${definition_id}/${name}`;
        const value = await vault.decrypt(storage.reader, account_id, ciphertext ?? '', context);
        return { name: `${instance_uid} ${name}`, value };
      }),
    );
  } finally {
    await storage.close();
  }
}
