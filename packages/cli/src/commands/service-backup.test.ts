import { randomBytes } from 'node:crypto';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createClient } from '@hortus/client/client';
import { createDatabase } from '@hortus/testkit/database';
import { freePort } from '@hortus/testkit/port';
import { startProcess } from '@hortus/testkit/process';
import { serviceMain } from '@hortus/testkit/programs';
import { temporaryFolder } from '@hortus/testkit/temporary-folder';
import { afterEach, describe, expect, it } from 'vitest';
import { hortus } from '../testing/hortus.ts';

const key = `hk_live_${randomBytes(32).toString('base64url')}`;
const undo: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

function folder(): string {
  const made = temporaryFolder('backup');
  undo.push(made.remove);
  return made.path;
}

async function database(): Promise<string> {
  const made = await createDatabase();
  undo.push(() => made.drop());
  return made.url;
}

async function serve(env: Record<string, string>) {
  const port = await freePort();
  const service = startProcess([process.execPath, serviceMain], {
    env: {
      HORTUS_PORT: String(port),
      HORTUS_ADMIN_KEY: key,
      HORTUS_ADMIN_PASSWORD: 'a password for the tests',
      HORTUS_LOCAL_SERVER: 'off',
      // Sends requests continuously during the backup.
      HORTUS_RATE_LIMITS: 'enterprise=1000000',
      ...env,
    },
  });
  undo.push(() => service.stop());
  const baseUrl = `http://127.0.0.1:${port}/api/v1`;
  await service.waitForHttp(`${baseUrl}/health`, { within: 120_000 });
  return { service, baseUrl, client: createClient({ baseUrl, key }) };
}
type Client = Awaited<ReturnType<typeof serve>>['client'];

async function createDefinition(client: Client) {
  const server = (await client.call('servers.register', { body: { name: 'server-1', environment: 'staging' } })).data;
  const inputs = { WEB_HOSTNAME: 'www.example.org' };
  const body = { species: 'static-site', instance_uid: 'first-page', server_id: server.id, inputs };
  const { id } = (await client.call('definitions.create', { body })).data;
  return { server, definition: id };
}

describe.each(['sqlite', 'postgres'] as const)('service backup on %s', (engine) => {
  it('backs up a running service and restores everything, including secrets', async () => {
    const home = folder();
    const masterKey = randomBytes(32).toString('base64');
    const [data, target] = [folder(), join(folder(), 'data')];
    const [from, to] = engine === 'postgres' ? [await database(), await database()] : [undefined, undefined];
    const settings = (directory: string, url: string | undefined) => ({
      HORTUS_DATA_DIR: directory,
      ...(url && { HORTUS_DATABASE_URL: url, HORTUS_MASTER_KEY: masterKey }),
    });
    const first = await serve(settings(data, from));
    const { server, definition } = await createDefinition(first.client);
    const hook = { url: 'https://hooks.example.org/x', events: ['action.failed' as const], secret: 'a secret to keep' };
    await first.client.call('webhooks.create', { body: hook });

    const passphrase = join(home, 'passphrase');
    await writeFile(passphrase, 'correct horse battery\n');
    const file = join(home, 'hortus.backup');
    const options = ['--out', file, '--passphrase-file', passphrase, '--json'];
    let running = true;
    const registering = (async () => {
      let count = 0;
      while (running) {
        await first.client.call('servers.register', { body: { name: `during-${count++}`, environment: 'staging' } });
      }
      return count;
    })();
    const saved = await hortus(home, ['backup-service', ...options], { env: settings(data, from) });
    running = false;
    expect(await registering).toBeGreaterThan(0);
    expect(saved.stderr).toBe('');
    expect(JSON.parse(saved.stdout)).toMatchObject({ file, engine, encrypted: true });
    const bytes = await readFile(file, 'latin1');
    for (const word of ['first-page', 'www.example.org', masterKey]) expect(bytes).not.toContain(word);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    await first.service.stop();

    const restore = (...more: string[]) =>
      hortus(home, ['restore-service', file, ...more], { env: settings(target, to) });
    expect((await restore()).stderr).toContain('encrypted');
    await writeFile(join(home, 'wrong'), 'quite another one');
    expect((await restore('--passphrase-file', join(home, 'wrong'))).code).toBe(1);
    const restored = await restore('--passphrase-file', passphrase);
    expect([restored.stderr, restored.code]).toEqual(['', 0]);
    const again = await restore('--passphrase-file', passphrase);
    expect([again.code, again.stderr]).toEqual([2, expect.stringContaining('--force')]);

    const second = await serve(settings(target, to));
    const { data: kept } = await second.client.call('definitions.read', { params: { id: definition } });
    expect(kept).toMatchObject({ instance_uid: 'first-page', server_id: server.id });
    expect((await second.client.call('webhooks.list')).data).toHaveLength(1);
    const asDaemon = createClient({ baseUrl: second.baseUrl, key: server.api_key });
    const { data: manifest } = await asDaemon.call('manifest.read', { query: { definition_id: definition } });
    // Signing needs a key from the vault, which only the restored master key decrypts.
    expect(manifest.signature).not.toBeNull();
    if (engine === 'sqlite') {
      const busy = await restore('--passphrase-file', passphrase, '--force');
      expect([busy.code, busy.stderr]).toEqual([2, expect.stringContaining('running')]);
    }
  }, 300_000);
});

it('service backup names the missing option or file', async () => {
  const home = folder();
  const run = (...argv: string[]) => hortus(home, argv);
  expect((await run('backup-service', '--data-dir', home)).stderr).toContain('--out');
  expect((await run('backup-service', '--data-dir', home, '--out', join(home, 'x'))).stderr).toContain('master key');
  await writeFile(join(home, 'other'), 'something else entirely\n');
  const refused = await run('restore-service', join(home, 'other'), '--data-dir', join(home, 'data'));
  expect(refused.stderr).toContain('not a backup');
});
