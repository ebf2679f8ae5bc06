import type { ManifestAction } from '@hortus/contract/template/manifest';
import { afterEach, expect, test, vi } from 'vitest';
import type { ContainerFacts } from '../engine/container-facts.ts';
import { callComponent } from './http-action.ts';

afterEach(() => void vi.useRealTimers());

test('a call that cannot be sent leaves no timer that would crash the daemon', async () => {
  vi.useFakeTimers();
  const action = { timeout_ms: 1_000, http: { port: 80, method: 'GET', path: '/a b' } } as ManifestAction;
  const container = { hostNetwork: true, networks: [] } as Partial<ContainerFacts> as ContainerFacts;
  await expect(callComponent(action, container, 100)).rejects.toThrow('unescaped characters');
  expect(() => vi.advanceTimersByTime(1_000)).not.toThrow();
});
