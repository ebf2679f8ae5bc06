import { afterAll, beforeAll, expect, test } from 'vitest';
import { type CatalogInstallation, hasOwnEngine, openCatalogInstallation } from './catalog-installation.ts';
import { deploySpecies } from './deployed-species.ts';

if (hasOwnEngine) {
  let catalogInstallation: CatalogInstallation;
  beforeAll(async () => {
    catalogInstallation = await openCatalogInstallation('redis', 'valkey', 'memcached');
  }, 300_000);
  afterAll(() => catalogInstallation?.[Symbol.asyncDispose]());

  for (const [species, cli] of [
    ['redis', 'redis-cli'],
    ['valkey', 'valkey-cli'],
  ] as const) {
    test(`${species} saves, counts and evicts`, { timeout: 240_000 }, async () => {
      const deployed = await deploySpecies(catalogInstallation, species);
      const { host = '', port = '', password = '' } = deployed.provided('cache.redis');
      const signIn = ['-h', host, '-p', port, '--no-auth-warning', '-a', password];
      expect(await deployed.say(cli, ...signIn, 'SET', 'colour', 'green')).toBe('OK');
      // Without the password from the environment of the container.
      expect(await deployed.say('env', '-u', 'REDISCLI_AUTH', cli, 'GET', 'colour')).toContain('NOAUTH');

      expect(await deployed.run('save')).toBe('OK\n');
      expect(await deployed.say('ls', '/data')).toContain('dump.rdb');
      expect(await deployed.run('info', { section: 'keyspace' })).toContain('db0:keys=1');
      if (species === 'valkey') {
        expect(await deployed.run('rewrite-log')).toContain('rewriting started');
        await deployed.say(cli, 'CONFIG', 'SET', 'slowlog-log-slower-than', '0');
        await deployed.say(cli, 'ECHO', 'slowly');
        expect(await deployed.run('slow-log', { count: 5 })).toContain('slowly');
      }
      expect(await deployed.run('flush')).toBe('OK\n');
      expect(await deployed.say(cli, 'DBSIZE')).toBe('0');
      await deployed.checkAndRelease();
    });
  }

  test('memcached counts and evicts', { timeout: 300_000 }, async () => {
    const deployed = await deploySpecies(catalogInstallation, 'memcached');
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
