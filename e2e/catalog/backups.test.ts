import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Backup } from '@hortus/contract/resources/backups';
import { until } from '@hortus/testkit/until';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ended } from '../docker/installation.ts';
import { type CatalogInstallation, hasOwnEngine, openCatalogInstallation } from './catalog-installation.ts';
import { type DeployedSpecies, deploySpecies } from './deployed-species.ts';

if (hasOwnEngine) {
  let catalogInstallation: CatalogInstallation;
  beforeAll(async () => {
    catalogInstallation = await openCatalogInstallation('postgres', 'mariadb', 'redis');
  }, 300_000);
  afterAll(() => catalogInstallation?.[Symbol.asyncDispose]());

  type Verb = 'verify' | 'restore';
  const client = () => catalogInstallation.installation.service.client;
  const read = async (id: string): Promise<Backup> => (await client().call('backups.read', { params: { id } })).data;

  async function backUp(deployed: DeployedSpecies): Promise<Backup> {
    const { execution, backup } = await client().call('backups.create', { params: { id: deployed.instanceId } });
    const end = await ended(catalogInstallation.installation, execution.id, 120_000);
    expect(end, `${end.error}\n${end.output}`).toMatchObject({ status: 'completed' });
    return await read(backup.id);
  }

  async function have(verb: Verb, { id, instance_uid }: Backup) {
    const params = { id };
    const { execution } = await (verb === 'verify'
      ? client().call('backups.verify', { params })
      : client().call('backups.restore', { params, body: { confirm: instance_uid } }));
    return await ended(catalogInstallation.installation, execution.id, 180_000);
  }

  /** Removes containers and volumes, as after the loss of a disk. */
  async function destroy({ uid }: DeployedSpecies): Promise<void> {
    const labels = { 'hortus.instance': uid };
    for (const { id } of await catalogInstallation.engine.containers({ labels }))
      await catalogInstallation.engine.remove(id, { force: true });
    for (const { name } of await catalogInstallation.engine.volumes({ labels }))
      await catalogInstallation.engine.removeVolume(name);
  }

  const healthy = (deployed: DeployedSpecies) =>
    until(
      async () =>
        (await client().call('instances.read', { params: { id: deployed.instanceId } })).data.health === 'healthy',
      { describe: `${deployed.uid} to be healthy` },
    );

  /** Flips one bit of a stored backup. */
  function damage({ address, instance_uid, id, parts: [part] }: Backup): () => void {
    const file = join(address ?? '', instance_uid, id, part?.file ?? '');
    const whole = readFileSync(file);
    const flipped = Buffer.from(whole);
    flipped[flipped.length - 100] = (flipped.at(-100) ?? 0) ^ 1;
    writeFileSync(file, flipped);
    return () => writeFileSync(file, whole);
  }

  /** Backs up, verifies, destroys and restores; also checks that a damaged backup is detected. */
  async function comesBack(
    deployed: DeployedSpecies,
    what: string,
    look: () => Promise<string>,
    more: () => Promise<unknown>,
  ) {
    const rows = await look();
    const backup = await backUp(deployed);
    expect(backup).toMatchObject({ status: 'completed', kind: 'manual', last_verified: null });
    expect(backup.stored_bytes).toBeGreaterThan(0);
    // After a stop for the backup it takes a moment to answer again.
    await until(async () => (await look()) === rows, { describe: `${deployed.uid} to answer` });
    await more();
    const verified = await have('verify', backup);
    expect(verified, `${verified.error}\n${verified.output}`).toMatchObject({ status: 'completed' });
    expect(verified.output).toContain('passed');
    expect(await read(backup.id)).toMatchObject({ proof: 'restored', verify_error: null });
    expect((await read(backup.id)).last_verified).not.toBeNull();
    expect(
      await catalogInstallation.engine.containers({
        labels: { 'hortus.server': `${catalogInstallation.installation.serverId}-trial` },
      }),
    ).toEqual([]);

    const repair = damage(backup);
    const found = await have('verify', backup);
    expect(found).toMatchObject({
      status: 'failed',
      error: `The backup of ${what} cannot be used: chunk 1 is damaged.`,
    });
    expect(await read(backup.id)).toMatchObject({ verify_error: found.error });
    repair();

    await destroy(deployed);
    const restored = await have('restore', backup);
    expect(restored, `${restored.error}\n${restored.output}`).toMatchObject({ status: 'completed' });
    expect(await look()).toBe(rows);
    await healthy(deployed);
    return backup;
  }

  test('PostgreSQL: a restore after a lost volume returns the same rows', {
    timeout: 400_000,
  }, async () => {
    const deployed = await deploySpecies(catalogInstallation, 'postgres');
    const { url = '' } = deployed.provided();
    const sql = (text: string) => deployed.say('psql', url, '--no-align', '--tuples-only', `--command=${text}`);
    await sql(
      "create table beds (id int primary key, plant text); insert into beds select n, 'it''s plant ' || n from generate_series(1, 5000) n",
    );
    const look = () => sql("select count(*), md5(string_agg(plant, ',' order by id)) from beds");
    const backup = await comesBack(deployed, 'the output of db-dump', look, () =>
      sql('delete from beds where id > 10'),
    );
    // A dump needs no downtime.
    expect(backup).toMatchObject({ stopped_ms: 0, parts: [{ kind: 'dump', name: 'db-dump' }] });
    for (const { slug } of deployed.manifest.actions) await deployed.run(slug);
    await deployed.checkAndRelease();
  });

  test('MariaDB: a restore after a lost volume returns the same rows', { timeout: 400_000 }, async () => {
    const deployed = await deploySpecies(catalogInstallation, 'mariadb');
    const { host = '', username = '', password = '', database = '' } = deployed.provided('database.mariadb');
    const signIn = [`--host=${host}`, `--user=${username}`, `--password=${password}`, database];
    const sql = (text: string) =>
      deployed.say('mariadb', ...signIn, '--skip-column-names', '--batch', `--execute=${text}`);
    await sql(
      "create table beds (id int primary key, plant text); insert into beds values (1, 'it''s mint'), (2, 'thyme')",
    );
    const look = () => sql('select id, plant from beds order by id');
    await comesBack(deployed, 'the output of db-dump', look, () => sql('delete from beds'));
    for (const { slug } of deployed.manifest.actions) await deployed.run(slug);
    await deployed.checkAndRelease();
  });

  test('Redis: a restore after a lost volume returns the same keys', { timeout: 400_000 }, async () => {
    const deployed = await deploySpecies(catalogInstallation, 'redis');
    const cli = (...words: string[]) => deployed.say('redis-cli', '-e', ...words);
    for (const colour of ['green', 'red', 'blue']) await cli('SET', `bed:${colour}`, `${colour} petals`);
    const look = () => cli('MGET', 'bed:green', 'bed:red', 'bed:blue', 'bed:white');
    const backup = await comesBack(deployed, 'volume data', look, () => cli('FLUSHALL'));
    expect(backup.parts).toMatchObject([{ kind: 'volume', name: 'data' }]);
    expect(backup.stopped_ms).toBeGreaterThan(0);

    // The first restore replaced an empty volume; the data replaced by this one is in its safety backup.
    await cli('SET', 'bed:white', 'white petals');
    const later = await look();
    expect(await have('restore', backup)).toMatchObject({ status: 'completed' });
    expect(await look()).not.toBe(later);
    const { data } = await client().call('backups.list', {
      query: { instance_id: deployed.instanceId, kind: 'safety' },
    });
    expect(await have('restore', data[0] as Backup)).toMatchObject({ status: 'completed' });
    expect(await look()).toBe(later);
    const journal = readFileSync(join(catalogInstallation.installation.stateOf(), 'journal.db')).toString('latin1');
    expect(journal).not.toMatch(/"(?:safety_)?key":"[A-Za-z0-9+/]{43}="/);
    for (const { slug } of deployed.manifest.actions) await deployed.run(slug);
    await deployed.checkAndRelease();
  });
}
