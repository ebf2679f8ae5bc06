import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Backup } from '@hortus/contract/resources/backups';
import { until } from '@hortus/testkit/until';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type CatalogInstallation, hasOwnEngine, openCatalogInstallation } from './catalog-installation.ts';
import { deploySpecies } from './deployed-species.ts';
import { restore, survivesLoss } from './loss.ts';

if (hasOwnEngine) {
  let catalogInstallation: CatalogInstallation;
  beforeAll(async () => {
    catalogInstallation = await openCatalogInstallation('postgres', 'mariadb', 'redis', 'rabbitmq');
  }, 300_000);
  afterAll(() => catalogInstallation?.[Symbol.asyncDispose]());

  const client = () => catalogInstallation.installation.service.client;

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
    const change = () => sql('delete from beds where id > 10');
    const backup = await survivesLoss(catalogInstallation, deployed, { look, change, damage: true });
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
    await survivesLoss(catalogInstallation, deployed, { look, change: () => sql('delete from beds'), damage: true });
    for (const { slug } of deployed.manifest.actions) await deployed.run(slug);
    await deployed.checkAndRelease();
  });

  test('RabbitMQ: a restore after a lost volume returns definitions and messages', { timeout: 400_000 }, async () => {
    const deployed = await deploySpecies(catalogInstallation, 'rabbitmq', { WEB_HOSTNAME: 'queues.example.org' });
    const { username, password } = deployed.provided();
    const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
    const ask = async (method: string, path: string, body: object) => {
      const headers = { authorization, 'content-type': 'application/json' };
      const answer = await deployed.fetch(15672, path, { method, headers, body: JSON.stringify(body) });
      expect(answer.ok, `${path}: ${answer.status} ${await answer.clone().text()}`).toBe(true);
    };
    const queue = (name: string) => ask('PUT', `/api/queues/app/${name}`, { durable: true });
    await queue('seeds');
    await ask('POST', '/api/exchanges/app/amq.default/publish', {
      properties: { delivery_mode: 2 },
      routing_key: 'seeds',
      payload: 'poppy',
      payload_encoding: 'string',
    });
    const list = ['list_queues', '--vhost=app', 'name', 'messages'];
    const look = async () => {
      const { code, text } = await deployed.try('rabbitmqctl', '--quiet', ...list);
      return code === 0 ? text.trim() : '';
    };
    await until(async () => /seeds\s+1/.test(await look()), { describe: 'the message to be counted' });
    const change = async () => {
      await queue('weeds');
      await deployed.run('purge-queue', { queue: 'seeds' });
    };
    const backup = await survivesLoss(catalogInstallation, deployed, { look, change });
    expect(backup.parts).toMatchObject([
      { kind: 'dump', name: 'export-definitions' },
      { kind: 'volume', name: 'data' },
    ]);
    const others = deployed.manifest.actions.filter(({ slug }) => slug !== 'purge-queue');
    for (const { slug } of others) await deployed.run(slug);
    await deployed.checkAndRelease();
  });

  test('Redis: a restore after a lost volume returns the same keys', { timeout: 400_000 }, async () => {
    const deployed = await deploySpecies(catalogInstallation, 'redis');
    const cli = (...words: string[]) => deployed.say('redis-cli', '-e', ...words);
    for (const colour of ['green', 'red', 'blue']) await cli('SET', `bed:${colour}`, `${colour} petals`);
    const look = () => cli('MGET', 'bed:green', 'bed:red', 'bed:blue', 'bed:white');
    const backup = await survivesLoss(catalogInstallation, deployed, {
      look,
      change: () => cli('FLUSHALL'),
      damage: true,
    });
    expect(backup.parts).toMatchObject([{ kind: 'volume', name: 'data' }]);
    expect(backup.stopped_ms).toBeGreaterThan(0);

    // The first restore replaced an empty volume; the data replaced by this one is in its safety backup.
    await cli('SET', 'bed:white', 'white petals');
    const later = await look();
    expect(await restore(catalogInstallation, backup)).toMatchObject({ status: 'completed' });
    expect(await look()).not.toBe(later);
    const { data } = await client().call('backups.list', {
      query: { instance_id: deployed.instanceId, kind: 'safety' },
    });
    expect(await restore(catalogInstallation, data[0] as Backup)).toMatchObject({ status: 'completed' });
    expect(await look()).toBe(later);
    const journal = readFileSync(join(catalogInstallation.installation.stateOf(), 'journal.db')).toString('latin1');
    expect(journal).not.toMatch(/"(?:safety_)?key":"[A-Za-z0-9+/]{43}="/);
    for (const { slug } of deployed.manifest.actions) await deployed.run(slug);
    await deployed.checkAndRelease();
  });
}
