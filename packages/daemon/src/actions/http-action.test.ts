import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ManifestAction } from '@hortus/contract/template/manifest';
import { afterEach, expect, test, vi } from 'vitest';
import { callComponent } from './http-action.ts';

afterEach(() => void vi.useRealTimers());

test('a call that cannot be sent leaves no timer that would crash the daemon', async () => {
  vi.useFakeTimers();
  const action = { timeout_ms: 1_000, http: { port: 80, method: 'GET', path: '/a b' } } as ManifestAction;
  await expect(callComponent(action, { host: '127.0.0.1' }, 100)).rejects.toThrow('unescaped characters');
  expect(() => vi.advanceTimersByTime(1_000)).not.toThrow();
});

test('a response without an end is read up to a limit; its status is the result', async () => {
  const server = createServer((_, response) => {
    const piece = Buffer.alloc(64 * 1024, 120);
    const write = () => {
      while (!response.destroyed && response.write(piece));
    };
    response.on('drain', write);
    write();
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  const action = { timeout_ms: 600_000, http: { port, method: 'GET', path: '/' } } as ManifestAction;
  const outcome = await callComponent(action, { host: '127.0.0.1' }, 1_000);
  expect(outcome).toMatchObject({ status: 'completed', output_truncated: true });
  server.closeAllConnections();
  await new Promise((closed) => server.close(closed));
});
