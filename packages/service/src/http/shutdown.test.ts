import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '@hortus/testkit/until';
import { describe, expect, it } from 'vitest';
import { bearer, serve } from './testing/serve.ts';

describe('shutdown', () => {
  it('finishes requests in flight, asks their clients to disconnect, and accepts no more', async () => {
    const asked = Promise.withResolvers<void>();
    const go = Promise.withResolvers<void>();
    const service = await serve({
      handlers: {
        'account.read': async () => {
          asked.resolve();
          await go.promise;
          return { success: true, data: 'in time' as never };
        },
      },
    });
    const request = service.fetch('/api/v1/account', { headers: bearer('admin') });
    await asked.promise;
    const closed = service.http.close();
    await until(
      () =>
        service.fetch('/api/v1/health').then(
          () => false,
          () => true,
        ),
      { describe: 'a refused connection' },
    );
    go.resolve();
    const response = await request;
    expect(response.headers.get('connection')).toBe('close');
    expect(await response.json()).toEqual({ success: true, data: 'in time' });
    await closed;
  });

  it('has a time limit', async () => {
    const asked = Promise.withResolvers<void>();
    const service = await serve({
      graceMs: 50,
      handlers: {
        'account.read': () => {
          asked.resolve();
          return new Promise(() => {});
        },
      },
    });
    const request = service.fetch('/api/v1/account', { headers: bearer('admin') }).then(
      () => 'answered',
      () => 'cut',
    );
    await asked.promise;
    await Promise.race([service.http.close(), sleep(5_000).then(() => Promise.reject(new Error('It waits.')))]);
    expect(await request).toBe('cut');
  });
});
