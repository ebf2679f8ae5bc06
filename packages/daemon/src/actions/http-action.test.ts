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
