import { QueryClient } from '@tanstack/react-query';
import { expect, it, vi } from 'vitest';
import { newRouter } from './router.tsx';

// The API client reads the origin when it is loaded.
vi.hoisted(() => vi.stubGlobal('location', { origin: 'http://localhost' }));

const router = newRouter(new QueryClient());
const hrefOf: typeof router.buildLocation = (target) => router.buildLocation(target);

it('a link has the path, params and search params of its page', () => {
  expect(hrefOf({ to: '/servers' }).href).toBe('/servers');
  expect(hrefOf({ to: '/gardens/$id/commits/$commit', params: { id: 'gdn_1', commit: 'c1' } }).href).toBe(
    '/gardens/gdn_1/commits/c1',
  );
  expect(hrefOf({ to: '/instances/$id', params: { id: 'ins_1' }, search: { tab: 'logs' } }).href).toBe(
    '/instances/ins_1?tab=logs',
  );
});

/** The type check fails as soon as one of these is no longer an error. */
const refused = () => [
  // @ts-expect-error No such page.
  hrefOf({ to: '/serverz' }),
  // @ts-expect-error The param is missing.
  hrefOf({ to: '/servers/$id' }),
  // @ts-expect-error The param is unknown.
  hrefOf({ to: '/servers/$id', params: { name: 'a' } }),
  // @ts-expect-error The page declares no such search param.
  hrefOf({ to: '/instances', search: { stauts: 'failed' } }),
];
void refused;
