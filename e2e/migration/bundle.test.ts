import { existsSync, globSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { run } from '@hortus/cli/run';
import { scriptedTerminal, scriptedWorld } from '@hortus/cli/testing/scripted-terminal';
import { temporaryFolder } from '@hortus/testkit/temporary-folder';
import { until } from '@hortus/testkit/until';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type CatalogInstallation, hasOwnEngine, openCatalogInstallation } from '../catalog/catalog-installation.ts';
import { type DeployedSpecies, deploySpecies } from '../catalog/deployed-species.ts';
import { inside } from '../docker/installation.ts';

if (hasOwnEngine) {
  const passphrase = 'a secret for the road';
  const folder = temporaryFolder('bundles');
  const file = join(folder.path, 'postgres.hortus');
  let here: CatalogInstallation;
  let there: CatalogInstallation;
  let deployed: DeployedSpecies;
  beforeAll(async () => {
    [here, there] = await Promise.all([openCatalogInstallation('postgres'), openCatalogInstallation('postgres')]);
    deployed = await deploySpecies(here, 'postgres');
    const row = 'insert into rows (text) select repeat(md5(n::text), 100) from generate_series(1, 3000) n';
    await sql(here, deployed.uid, `create table rows (id serial primary key, text text); ${row}`);
  }, 300_000);
  afterAll(async () => {
    await here?.[Symbol.asyncDispose]();
    await there?.[Symbol.asyncDispose]();
    await folder.remove();
  });

  /** Runs the CLI with the key of one installation. */
  async function hortus({ installation }: CatalogInstallation, words: string, ...argv: string[]) {
    const terminal = scriptedTerminal([], { interactive: false, width: 200 });
    const { base, key } = installation.service;
    const env = { HORTUS_URL: base, HORTUS_KEY: key, HORTUS_BUNDLE_PASSPHRASE: words };
    const world = { ...scriptedWorld(terminal, env), now: Date.now, pause: (ms: number) => sleep(ms) };
    const code = await run(argv, world);
    return { code, said: `${terminal.printed}${terminal.noted}` };
  }

  const sql = async ({ engine }: CatalogInstallation, uid: string, text: string): Promise<string> => {
    const labels = { 'hortus.instance': uid, 'hortus.primary': 'true' };
    const [container] = await engine.containers({ labels });
    const argv = ['psql', '-U', 'app', '-h', '/var/run/postgresql', 'app', '-Atc', text];
    return (await inside(engine, container?.id ?? '', ...argv)).trim();
  };
  const digest = 'select count(*), md5(string_agg(text, null order by id)) from rows';
  const left = async ({ engine }: CatalogInstallation) => {
    const labels = { 'hortus.managed': 'true' };
    return [...(await engine.containers({ labels })), ...(await engine.volumes({ labels }))].map(({ name }) => name);
  };

  test('export and import move a database with all its rows to another Hortus', { timeout: 300_000 }, async () => {
    const before = await sql(here, deployed.uid, digest);
    expect(before).toMatch(/^3000\|/);

    const exported = await hortus(here, passphrase, 'definitions', 'export', 'postgres', '--out', file);
    expect(exported.code, exported.said).toBe(0);
    // It was stopped for the copy and restarted.
    await until(async () => (await sql(here, deployed.uid, digest)) === before, { describe: 'the rows to be there' });
    const backups = async () => (await here.installation.service.client.call('backups.list')).data;
    await until(async () => (await backups()).length === 0, { describe: 'the backup made for it to be gone' });

    const bring = (words: string, from: string) =>
      hortus(there, words, 'definitions', 'import', from, '--server', 'server-1', '--name', 'moved', '--wait');
    const whole = readFileSync(file);
    const spoilt = join(folder.path, 'spoilt.hortus');
    const flipped = Buffer.from(whole);
    flipped[whole.length >> 1] = (flipped[whole.length >> 1] ?? 0) ^ 1;
    for (const [words, content, said] of [
      ['another secret', whole, 'not the passphrase'],
      [passphrase, flipped, 'a byte was changed in the volume data'],
      [passphrase, whole.subarray(0, whole.length >> 1), 'cut off in the volume data'],
    ] as const) {
      writeFileSync(spoilt, content);
      const refused = await bring(words, spoilt);
      expect(refused.code).not.toBe(0);
      expect(refused.said).toContain(said);
    }
    const { client } = there.installation.service;
    expect((await client.call('imports.list')).data).toEqual([]);
    expect(await left(there)).toEqual([]);

    const imported = await bring(passphrase, file);
    expect(imported.code, imported.said).toBe(0);
    expect(imported.said).toContain('moved is healthy on server-1.');
    expect(await sql(there, 'moved', digest)).toBe(before);
    const again = await bring(passphrase, file);
    expect(again.code).not.toBe(0);
    expect(again.said).toContain('moved is the uid of another definition');
  });

  test('export and import survive a killed service', { timeout: 300_000 }, async () => {
    const out = join(folder.path, 'outlived.hortus');
    const before = await sql(here, deployed.uid, digest);
    const begun = { within: 60_000, every: 2, describe: 'the volume to be under way' };

    const exporting = hortus(here, passphrase, 'definitions', 'export', 'postgres', '--out', out);
    await until(() => statSync(`${out}.part`).size > 2 ** 16, begun);
    await here.installation.restartService();
    const exported = await exporting;
    expect(exported.code, exported.said).toBe(0);

    const to = ['--server', 'server-1', '--name', 'outlived', '--wait'];
    const importing = hortus(there, passphrase, 'definitions', 'import', out, ...to);
    const spools = join(there.installation.stateOf(), 'transfers');
    await until(
      () => globSync('*/*.list', { cwd: spools }).some((name) => statSync(join(spools, name)).size > 0),
      begun,
    );
    await there.installation.restartService();
    const imported = await importing;
    expect(imported.code, imported.said).toBe(0);
    expect(await sql(there, 'outlived', digest)).toBe(before);
  });

  test('a cancelled import leaves nothing on the server', { timeout: 240_000 }, async () => {
    const { client } = there.installation.service;
    const source = here.installation.service.client;
    const [definition] = (await source.call('definitions.list')).data;
    const params = { id: definition?.id ?? '' };
    const { execution, backup } = await source.call('backups.create', {
      params: { id: deployed.instanceId },
      body: { extent: 'volumes' },
    });
    const done = async () =>
      (await source.call('actions.read', { params: { execution_id: execution.id } })).execution.status === 'completed';
    await until(done, { within: 60_000, describe: 'the backup' });
    const { bundle } = (await source.call('definitions.export', { params, body: { backup_id: backup.id } })).data;
    const order = { server_id: there.installation.serverId, instance_uid: 'given-up', bundle };
    const { data } = await client.call('definitions.import', { body: order });
    const volume = { params: { id: data.id }, body: { volume: 'data' } };
    await client.call('imports.fill', volume);
    const arrived = async () => (await left(there)).some((name) => name.includes('given-up'));
    await until(arrived, { within: 60_000, describe: 'the volume to be made' });
    await client.call('imports.cancel', { params: { id: data.id } });
    await until(async () => !(await arrived()), { within: 60_000, describe: 'the volume to be gone again' });
    const state = there.installation.stateOf();
    expect(existsSync(join(state, 'transfers'))).toBe(true);
    const still = async () => (await client.call('transfers.pending', { query: {} })).data.length === 0;
    await until(still, { describe: 'nothing more to be carried' });
  });
}
