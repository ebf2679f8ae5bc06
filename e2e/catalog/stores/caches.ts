import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Backup } from '@hortus/contract/resources/backups';
import { expect } from 'vitest';
import { type Catalog, type CatalogInstallation, catalogTest } from '../catalog-installation.ts';
import { type DeployedSpecies, deploySpecies } from '../deployed-species.ts';
import { restore, survivesLoss } from '../loss.ts';

export function caches(catalog: Catalog): void {
  catalogTest(
    'Redis saves, counts and evicts, and a restore after a lost volume returns the same keys',
    {
      timeout: 600_000,
    },
    async () => {
      const deployed = await deploySpecies(catalog(), 'redis');
      await restores(catalog(), deployed);
      await savesAndCounts(deployed, 'redis-cli', 5);
      await evicts(deployed, 'redis-cli');
    },
  );

  catalogTest('Valkey saves, counts and evicts', { timeout: 240_000 }, async () => {
    const deployed = await deploySpecies(catalog(), 'valkey');
    await savesAndCounts(deployed, 'valkey-cli', 1);
    expect(await deployed.run('rewrite-log')).toContain('rewriting started');
    await deployed.say('valkey-cli', 'CONFIG', 'SET', 'slowlog-log-slower-than', '0');
    await deployed.say('valkey-cli', 'ECHO', 'slowly');
    expect(await deployed.run('slow-log', { count: 5 })).toContain('slowly');
    await evicts(deployed, 'valkey-cli');
  });

  catalogTest('memcached counts and evicts', { timeout: 300_000 }, async () => {
    const deployed = await deploySpecies(catalog(), 'memcached');
    const ask = (words: string) =>
      deployed.say(
        'bash',
        '-c',
        'exec 3<>/dev/tcp/127.0.0.1/11211; printf "$1" >&3; cat <&3',
        'ask',
        `${words}quit\\r\\n`,
      );
    expect(await ask('set colour 0 0 5\\r\\ngreen\\r\\nget colour\\r\\n')).toContain('green');
    expect(await deployed.run('stats')).toContain('STAT get_hits 1\r\n');
    expect(await deployed.run('flush')).toContain('OK');
    expect(await ask('get colour\\r\\n')).toBe('END');
    await deployed.checkAndRelease();
  });
}

async function savesAndCounts(deployed: DeployedSpecies, cli: string, keys: number): Promise<void> {
  const { host = '', port = '', password = '' } = deployed.provided('cache.redis');
  const signIn = ['-h', host, '-p', port, '--no-auth-warning', '-a', password];
  expect(await deployed.say(cli, ...signIn, 'SET', 'colour', 'green')).toBe('OK');
  // Without the password from the environment of the container.
  expect(await deployed.say('env', '-u', 'REDISCLI_AUTH', cli, 'GET', 'colour')).toContain('NOAUTH');
  expect(await deployed.run('save')).toBe('OK\n');
  expect(await deployed.say('ls', '/data')).toContain('dump.rdb');
  expect(await deployed.run('info', { section: 'keyspace' })).toContain(`db0:keys=${keys}`);
}

async function evicts(deployed: DeployedSpecies, cli: string): Promise<void> {
  expect(await deployed.run('flush')).toBe('OK\n');
  expect(await deployed.say(cli, 'DBSIZE')).toBe('0');
  await deployed.checkAndRelease();
}

async function restores(catalogInstallation: CatalogInstallation, deployed: DeployedSpecies): Promise<void> {
  const cli = (...words: string[]) => deployed.say('redis-cli', '-e', ...words);
  for (const colour of ['green', 'red', 'blue']) await cli('SET', `bed:${colour}`, `${colour} petals`);
  const read = () => cli('MGET', 'bed:green', 'bed:red', 'bed:blue', 'bed:white');
  const change = () => cli('FLUSHALL');
  const backup = await survivesLoss(catalogInstallation, deployed, { read, change, damage: true });
  expect(backup.parts).toMatchObject([{ kind: 'volume', name: 'data' }]);
  expect(backup.stopped_ms).toBeGreaterThan(0);

  // The first restore replaced an empty volume; the data replaced by this one is in its safety backup.
  await cli('SET', 'bed:white', 'white petals');
  const later = await read();
  expect(await restore(catalogInstallation, backup)).toMatchObject({ status: 'completed' });
  expect(await read()).not.toBe(later);
  const { installation } = catalogInstallation;
  const query = { instance_id: deployed.instanceId, kind: 'safety' as const };
  const { data } = await installation.service.client.call('backups.list', { query });
  expect(await restore(catalogInstallation, data[0] as Backup)).toMatchObject({ status: 'completed' });
  expect(await read()).toBe(later);
  const journal = readFileSync(join(installation.stateOf(), 'journal.db')).toString('latin1');
  expect(journal).not.toMatch(/"(?:safety_)?key":"[A-Za-z0-9+/]{43}="/);
}
