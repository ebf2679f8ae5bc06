import { until } from '@hortus/testkit/until';
import { describe, expect, it } from 'vitest';
import type { Principal } from '../identity/principal.ts';
import { guardWith } from '../process/guard.ts';
import { onBothEngines } from '../testing/engines.ts';
import { QuietLog } from '../testing/quiet-log.ts';
import type { Authenticator } from './gate.ts';
import { RateLimiter } from './rate-limit.ts';
import { SharedRateWindows } from './rate-windows/shared.ts';
import { bearer, fakeAuthenticator, limits, principals, serve } from './testing/serve.ts';

const guard = guardWith(new QuietLog());

const few = { free: 3, pro: 5, enterprise: 7, anonymous: 2, server: 4 };
const account = principals.reader as Principal;

describe('a limiter', () => {
  const at = (time: number) => {
    const clock = { now: time };
    return { clock, limiter: new RateLimiter(few, () => clock.now) };
  };

  it('allows exactly the limit per minute, and the same again in the next minute', () => {
    const { clock, limiter } = at(120_000 + 59_000);
    const run = () => Array.from({ length: 5 }, () => limiter.count(account, '::1'));
    expect(run().map(({ remaining, exceeded }) => [remaining, exceeded])).toEqual([
      [2, false],
      [1, false],
      [0, false],
      [0, true],
      [0, true],
    ]);
    expect(limiter.count(account, '::1').reset).toBe(180);
    expect(limiter.secondsLeft).toBe(1);
    clock.now = 180_000;
    expect(run().filter(({ exceeded }) => !exceeded)).toHaveLength(3);
    expect(limiter.count(account, '::1').reset).toBe(240);
  });

  it('counts accounts by plan, servers and addresses separately', () => {
    const { limiter } = at(0);
    const passed = (principal: Principal | undefined, address: string) => {
      let count = 0;
      while (!limiter.count(principal, address).exceeded) count++;
      return count;
    };
    expect(passed(account, '192.0.2.1')).toBe(3);
    expect(passed(principals.writer, '192.0.2.1')).toBe(0); // another key of the same account
    expect(passed(principals.other, '192.0.2.1')).toBe(5);
    expect(passed(principals.daemon, '192.0.2.1')).toBe(4);
    expect(passed(undefined, '192.0.2.1')).toBe(2);
    expect(passed(undefined, '192.0.2.2')).toBe(2);
  });

  it('counts an IPv6 network as one caller', () => {
    const { limiter } = at(0);
    limiter.count(undefined, '2001:db8:1:2::1');
    limiter.count(undefined, '2001:db8:1:2:ffff:0:0:9');
    expect(limiter.count(undefined, '2001:db8:1:2:3:4:5:6').exceeded).toBe(true);
    expect(limiter.count(undefined, '2001:db8:1:3::1').exceeded).toBe(false);
    expect(limiter.count(undefined, '::1').exceeded).toBe(false);
    expect(limiter.peek(undefined, '::2')).toMatchObject({ remaining: 1 });
  });

  it('has bounded memory for any number of callers', () => {
    const { limiter } = at(0);
    for (let i = 0; i < 100_100; i++) limiter.count(undefined, `caller ${i}`);
    expect(limiter.window.counters.size).toBeLessThanOrEqual(100_001);
    expect(limiter.count(undefined, 'one more').exceeded).toBe(true);
    expect(limiter.count(undefined, 'caller 5').exceeded).toBe(false);
  });
});

describe('the limit of a caller', () => {
  const read = (response: Response) => ({
    status: response.status,
    limit: response.headers.get('x-ratelimit-limit'),
    remaining: response.headers.get('x-ratelimit-remaining'),
    retryAfter: response.headers.get('retry-after'),
  });

  it('is in the headers of every response, and exceeding it is 429 with Retry-After', async () => {
    await using service = await serve({ config: { rateLimits: few }, clock: () => 1_000_000_000_000 });
    const ask = async (path: string, headers: Record<string, string> = {}) =>
      read(await service.fetch(path, { headers }));
    expect(await ask('/api/v1/templates', bearer('reader'))).toMatchObject({ status: 200, limit: '3', remaining: '2' });
    // Refused requests count like any other, on the account that made them.
    expect(await ask('/api/v1/definitions', bearer('reader'))).toMatchObject({ status: 403, remaining: '1' });
    expect(await ask('/api/v1/nothing', bearer('reader'))).toMatchObject({ status: 404, remaining: '0' });
    expect(await ask('/api/v1/templates', bearer('reader'))).toEqual({
      status: 429,
      limit: '3',
      remaining: '0',
      retryAfter: '20',
    });
    const response = await service.fetch('/api/v1/templates', { headers: bearer('reader') });
    expect(response.headers.get('x-ratelimit-reset')).toBe('1000000020');
    expect(await response.json()).toMatchObject({ success: false, error: { code: 'RATE_LIMITED' } });
  });

  it.each([
    ['reader', 60],
    ['other', 300],
    ['admin', 1000],
  ])('of %s is exactly %i a minute, even under concurrent requests', async (who, max) => {
    let now = 1_000_000_000_000;
    await using service = await serve({ config: { rateLimits: limits }, clock: () => now });
    const ask = async (path: string) => {
      const response = await service.fetch(path, { headers: bearer(who) });
      await response.arrayBuffer();
      return { ...read(response), reset: response.headers.get('x-ratelimit-reset') };
    };
    // Half of them fail, and count and tell all the same.
    const paths = Array.from({ length: max + 20 }, (_, i) => (i % 2 ? '/api/v1/account' : '/api/v1/nothing'));
    const responses: Awaited<ReturnType<typeof ask>>[] = [];
    const callers = Array.from({ length: 20 }, async () => {
      for (let path = paths.pop(); path; path = paths.pop()) responses.push(await ask(path));
    });
    await Promise.all(callers);
    const refused = responses.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(20);
    for (const response of responses) expect([response.limit, response.reset]).toEqual([String(max), '1000000020']);
    for (const { retryAfter, remaining } of refused) expect([retryAfter, remaining]).toEqual(['20', '0']);
    const left = responses.filter(({ status }) => status !== 429).map(({ remaining }) => Number(remaining));
    expect(left.sort((a, b) => a - b)).toEqual(Array.from({ length: max }, (_, i) => i));
    now += 20_000;
    expect(await ask('/api/v1/nothing')).toMatchObject({ status: 404, remaining: String(max - 1) });
  });

  it('is counted by address for unauthenticated callers', async () => {
    await using service = await serve({ config: { rateLimits: few } });
    const statuses: number[] = [];
    for (const path of ['/docs', '/api/v1/templates', '/api/v1/templates', '/api/v1/openapi.json', '/nowhere']) {
      statuses.push((await service.fetch(path, { headers: bearer('unknown') })).status);
    }
    expect(statuses).toEqual([200, 401, 429, 429, 429]);
    expect((await service.fetch('/api/v1/templates', { headers: bearer('admin') })).status).toBe(200);
  });

  it('does not apply to health and readiness, which still show it', async () => {
    await using service = await serve({ config: { rateLimits: few } });
    for (const path of ['/api/v1/health', '/ready', '/api/v1/health', '/metrics', '/api/v1/health']) {
      expect(read(await service.fetch(path))).toMatchObject({ status: 200, limit: '2', remaining: '2' });
    }
  });
});

onBothEngines((engine) => {
  it('counts are summed over the replicas', async () => {
    const testDatabase = await engine.testDatabase();
    const storage = await testDatabase.open();
    const clock = () => 600_000;
    const limiters = [new RateLimiter(limits, clock), new RateLimiter(limits, clock)] as const;
    const shared = limiters.map((limiter) => new SharedRateWindows(limiter, storage, guard));
    for (let i = 0; i < 20; i++) for (const limiter of limiters) limiter.count(account, '');
    for (const windows of shared) await windows.sync();
    // The second has seen the sum; the first learns it with its next count.
    expect(limiters[1].peek(account, '').remaining).toBe(20);
    expect(limiters[0].peek(account, '').remaining).toBe(40);
    limiters[0].count(account, '');
    await shared[0]?.sync();
    expect(limiters[0].peek(account, '').remaining).toBe(19);
    expect(await storage.reader.db.selectFrom('rate_windows').selectAll().execute()).toEqual([
      { subject: 'acc_a', window_start: 600_000, count: 41 },
    ]);
  });

  it('old windows are removed', async () => {
    const storage = await engine.open();
    let now = 600_000;
    const limiter = new RateLimiter(limits, () => now);
    const shared = new SharedRateWindows(limiter, storage, guard);
    for (now of [600_000, 660_000, 720_000, 780_000]) {
      limiter.count(account, '');
      await shared.sync();
    }
    const kept = await storage.reader.db
      .selectFrom('rate_windows')
      .select('window_start')
      .orderBy('window_start')
      .execute();
    expect(kept.map((row) => row.window_start)).toEqual([720_000, 780_000]);
  });

  it('a database failure loses no count', async () => {
    const storage = await engine.open();
    let broken = true;
    const flaky = {
      ...storage,
      write: ((work) => (broken ? Promise.reject(new Error('gone')) : storage.write(work))) as typeof storage.write,
    };
    const limiter = new RateLimiter(limits, () => 600_000);
    const shared = new SharedRateWindows(limiter, flaky, guard);
    limiter.count(account, '');
    await shared.sync();
    expect(limiter.peek(account, '').remaining).toBe(59);
    broken = false;
    limiter.count(account, '');
    await shared.sync();
    expect(limiter.peek(account, '').remaining).toBe(58);
    const [row] = await storage.reader.db.selectFrom('rate_windows').select('count').execute();
    expect(row?.count).toBe(2);
  });

  // The embedded database has one process, so nothing is shared.
  if (engine.name === 'postgres')
    it('two services on one database share a limit after a short time', async () => {
      const testDatabase = await engine.testDatabase();
      const settings = { clock: () => 600_000, config: { rateLimits: limits } };
      await using served = await serve({ ...settings, storage: await testDatabase.open() });
      await using other = await serve({ ...settings, storage: await testDatabase.open() });
      const ask = async (service: typeof served) => {
        const response = await service.fetch('/api/v1/templates', { headers: bearer('reader') });
        return { status: response.status, remaining: Number(response.headers.get('x-ratelimit-remaining')) };
      };
      for (let i = 0; i < 30; i++) await ask(served);
      let asked = 0;
      await until(
        async () => {
          asked++;
          return (await ask(other)).status === 429;
        },
        { describe: 'the shared limit', every: 50 },
      );
      expect(asked).toBeLessThan(60);
    });
});

it('an address over its limit gets 429 for wrong keys without a lookup', async () => {
  let lookups = 0;
  const authenticator: Authenticator = {
    ...fakeAuthenticator,
    fromCache: () => undefined,
    authenticate: async (proof, address, mayLookUp) => {
      mayLookUp?.();
      lookups++;
      return fakeAuthenticator.authenticate(proof, address);
    },
  };
  await using service = await serve({ authenticator, config: { rateLimits: { ...limits, anonymous: 3 } } });
  const ask = async (key: string) => (await service.fetch('/api/v1/account', { headers: bearer(key) })).status;
  expect([await ask('wrong'), await ask('wrong'), await ask('wrong')]).toEqual([401, 401, 401]);
  expect([await ask('wrong'), await ask('wrong')]).toEqual([429, 429]);
  expect(lookups).toBe(3);
});
