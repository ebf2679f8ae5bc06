import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Backup } from '@hortus/contract/resources/backups';
import { until } from '@hortus/testkit/until';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ended } from '../docker/garden.ts';
import { type Greenhouse, hasOwnEngine, openGreenhouse } from './greenhouse.ts';
import { grow, type Plant } from './plant.ts';

if (hasOwnEngine) {
  let house: Greenhouse;
  beforeAll(async () => {
    house = await openGreenhouse('postgres', 'mariadb', 'redis');
  }, 300_000);
  afterAll(() => house?.[Symbol.asyncDispose]());

  type Verb = 'verify' | 'restore';
  const client = () => house.garden.service.client;
  const read = async (id: string): Promise<Backup> => (await client().call('backups.read', { params: { id } })).data;

  async function backUp(plant: Plant): Promise<Backup> {
    const { execution, backup } = await client().call('backups.create', { params: { id: plant.instanceId } });
    const end = await ended(house.garden, execution.id, 120_000);
    expect(end, `${end.error}\n${end.output}`).toMatchObject({ status: 'completed' });
    return await read(backup.id);
  }

  async function have(verb: Verb, { id, instance_uid }: Backup) {
    const params = { id };
    const { execution } = await (verb === 'verify'
      ? client().call('backups.verify', { params })
      : client().call('backups.restore', { params, body: { confirm: instance_uid } }));
    return await ended(house.garden, execution.id, 180_000);
  }

  /** As when a disk is lost: its containers and volumes are gone. */
  async function destroy({ uid }: Plant): Promise<void> {
    const labels = { 'hortus.instance': uid };
    for (const { id } of await house.engine.containers({ labels })) await house.engine.remove(id, { force: true });
    for (const { name } of await house.engine.volumes({ labels })) await house.engine.removeVolume(name);
  }

  const healthy = (plant: Plant) =>
    until(
      async () =>
        (await client().call('instances.read', { params: { id: plant.instanceId } })).data.health === 'healthy',
      { describe: `${plant.uid} to be healthy` },
    );

  /** Changes one bit of what is stored. */
  function damage({ address, instance_uid, id, parts: [part] }: Backup): () => void {
    const file = join(address ?? '', instance_uid, id, part?.file ?? '');
    const whole = readFileSync(file);
    const flipped = Buffer.from(whole);
    flipped[flipped.length - 100] = (flipped.at(-100) ?? 0) ^ 1;
    writeFileSync(file, flipped);
    return () => writeFileSync(file, whole);
  }

  /** Backed up, proven, lost, put back; and a damaged backup is found before it is needed. */
  async function comesBack(plant: Plant, what: string, look: () => Promise<string>, more: () => Promise<unknown>) {
    const rows = await look();
    const backup = await backUp(plant);
    expect(backup).toMatchObject({ status: 'completed', kind: 'manual', last_verified: null });
    expect(backup.stored_bytes).toBeGreaterThan(0);
    // One that was stopped for it was started again, and takes a moment before it answers.
    await until(async () => (await look()) === rows, { describe: `${plant.uid} to answer` });
    await more();
    const verified = await have('verify', backup);
    expect(verified, `${verified.error}\n${verified.output}`).toMatchObject({ status: 'completed' });
    expect(verified.output).toContain('passed');
    expect(await read(backup.id)).toMatchObject({ proof: 'restored', verify_error: null });
    expect((await read(backup.id)).last_verified).not.toBeNull();
    expect(await house.engine.containers({ labels: { 'hortus.server': `${house.garden.serverId}-trial` } })).toEqual(
      [],
    );

    const repair = damage(backup);
    const found = await have('verify', backup);
    expect(found).toMatchObject({
      status: 'failed',
      error: `The backup of ${what} cannot be used: chunk 1 is damaged.`,
    });
    expect(await read(backup.id)).toMatchObject({ verify_error: found.error });
    repair();

    await destroy(plant);
    const restored = await have('restore', backup);
    expect(restored, `${restored.error}\n${restored.output}`).toMatchObject({ status: 'completed' });
    expect(await look()).toBe(rows);
    await healthy(plant);
    return backup;
  }

  test('PostgreSQL: rows, backup, verification, a lost volume, restore, the same rows', {
    timeout: 400_000,
  }, async () => {
    const plant = await grow(house, 'postgres');
    const { url = '' } = plant.provided();
    const sql = (text: string) => plant.say('psql', url, '--no-align', '--tuples-only', `--command=${text}`);
    await sql(
      "create table beds (id int primary key, plant text); insert into beds select n, 'it''s plant ' || n from generate_series(1, 5000) n",
    );
    const look = () => sql("select count(*), md5(string_agg(plant, ',' order by id)) from beds");
    const backup = await comesBack(plant, 'the output of db-dump', look, () => sql('delete from beds where id > 10'));
    // A dump needs no stop.
    expect(backup).toMatchObject({ stopped_ms: 0, parts: [{ kind: 'dump', name: 'db-dump' }] });
    for (const { slug } of plant.manifest.actions) await plant.run(slug);
    await plant.harvest();
  });

  test('MariaDB: the same', { timeout: 400_000 }, async () => {
    const plant = await grow(house, 'mariadb');
    const { host = '', username = '', password = '', database = '' } = plant.provided('database.mariadb');
    const signIn = [`--host=${host}`, `--user=${username}`, `--password=${password}`, database];
    const sql = (text: string) =>
      plant.say('mariadb', ...signIn, '--skip-column-names', '--batch', `--execute=${text}`);
    await sql(
      "create table beds (id int primary key, plant text); insert into beds values (1, 'it''s mint'), (2, 'thyme')",
    );
    const look = () => sql('select id, plant from beds order by id');
    await comesBack(plant, 'the output of db-dump', look, () => sql('delete from beds'));
    for (const { slug } of plant.manifest.actions) await plant.run(slug);
    await plant.harvest();
  });

  test('Redis: keys, backup, verification, a lost volume, restore, the same keys', { timeout: 400_000 }, async () => {
    const plant = await grow(house, 'redis');
    const cli = (...words: string[]) => plant.say('redis-cli', '-e', ...words);
    for (const colour of ['green', 'red', 'blue']) await cli('SET', `bed:${colour}`, `${colour} petals`);
    const look = () => cli('MGET', 'bed:green', 'bed:red', 'bed:blue', 'bed:white');
    const backup = await comesBack(plant, 'volume data', look, () => cli('FLUSHALL'));
    expect(backup.parts).toMatchObject([{ kind: 'volume', name: 'data' }]);
    expect(backup.stopped_ms).toBeGreaterThan(0);

    // What the restore replaced was nothing; what this one replaces comes back by its safety backup.
    await cli('SET', 'bed:white', 'white petals');
    const later = await look();
    expect(await have('restore', backup)).toMatchObject({ status: 'completed' });
    expect(await look()).not.toBe(later);
    const { data } = await client().call('backups.list', { query: { instance_id: plant.instanceId, kind: 'safety' } });
    expect(await have('restore', data[0] as Backup)).toMatchObject({ status: 'completed' });
    expect(await look()).toBe(later);
    const journal = readFileSync(join(house.garden.stateOf(), 'journal.db')).toString('latin1');
    expect(journal).not.toMatch(/"(?:safety_)?key":"[A-Za-z0-9+/]{43}="/);
    for (const { slug } of plant.manifest.actions) await plant.run(slug);
    await plant.harvest();
  });
}
