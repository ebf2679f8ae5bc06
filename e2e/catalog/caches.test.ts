import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Greenhouse, hasOwnEngine, openGreenhouse } from './greenhouse.ts';
import { grow } from './plant.ts';

if (hasOwnEngine) {
  let house: Greenhouse;
  beforeAll(async () => {
    house = await openGreenhouse('redis', 'valkey', 'memcached');
  }, 300_000);
  afterAll(() => house?.[Symbol.asyncDispose]());

  for (const [species, cli] of [
    ['redis', 'redis-cli'],
    ['valkey', 'valkey-cli'],
  ] as const) {
    test(`${species} saves, counts and forgets`, { timeout: 240_000 }, async () => {
      const plant = await grow(house, species);
      const { host = '', port = '', password = '' } = plant.provided('cache.redis');
      const signIn = ['-h', host, '-p', port, '--no-auth-warning', '-a', password];
      expect(await plant.say(cli, ...signIn, 'SET', 'colour', 'green')).toBe('OK');
      // Without the password that the container's own environment has.
      expect(await plant.say('env', '-u', 'REDISCLI_AUTH', cli, 'GET', 'colour')).toContain('NOAUTH');

      expect(await plant.run('save')).toBe('OK\n');
      expect(await plant.say('ls', '/data')).toContain('dump.rdb');
      expect(await plant.run('info', { section: 'keyspace' })).toContain('db0:keys=1');
      if (species === 'valkey') {
        expect(await plant.run('rewrite-log')).toContain('rewriting started');
        await plant.say(cli, 'CONFIG', 'SET', 'slowlog-log-slower-than', '0');
        await plant.say(cli, 'ECHO', 'slowly');
        expect(await plant.run('slow-log', { count: 5 })).toContain('slowly');
      }
      expect(await plant.run('flush')).toBe('OK\n');
      expect(await plant.say(cli, 'DBSIZE')).toBe('0');
      await plant.harvest();
    });
  }

  test('memcached counts and forgets', { timeout: 300_000 }, async () => {
    const plant = await grow(house, 'memcached');
    const ask = (words: string) =>
      plant.say(
        'bash',
        '-c',
        'exec 3<>/dev/tcp/127.0.0.1/11211; printf "$1" >&3; cat <&3',
        'ask',
        `${words}quit\\r\\n`,
      );
    expect(await ask('set colour 0 0 5\\r\\ngreen\\r\\nget colour\\r\\n')).toContain('green');
    expect(await plant.run('stats')).toContain('STAT get_hits 1\r\n');
    expect(await plant.run('flush')).toContain('OK');
    expect(await ask('get colour\\r\\n')).toBe('END');
    await plant.harvest();
  });
}
