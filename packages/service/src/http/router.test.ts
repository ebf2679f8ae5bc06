import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Route } from './exchange.ts';
import { Router } from './router.ts';

const access = { permission: 'public', counted: true } as const;
const route = (name: string): Route => ({ name, access, handle: () => {} });

function routerOf(...paths: string[]) {
  const router = new Router();
  for (const path of paths) router.add('GET', path, route(path));
  return (path: string, method = 'GET') => {
    const match = router.find(method, path);
    return match && { at: match.route.name, ...match.params };
  };
}

describe('a path', () => {
  const find = routerOf(
    '/',
    '/plants',
    '/plants/stats',
    '/plants/{id}',
    '/plants/{id}/leaves/{leaf}',
    '/plants/all/{x}',
  );

  it.each([
    ['/', { at: '/' }],
    ['/plants', { at: '/plants' }],
    ['/plants/stats', { at: '/plants/stats' }],
    ['/plants/rose', { at: '/plants/{id}', id: 'rose' }],
    ['/plants/a%2Fb%20c', { at: '/plants/{id}', id: 'a/b c' }],
    // A named segment leads nowhere here, and the other way does.
    ['/plants/all/leaves', { at: '/plants/all/{x}', x: 'leaves' }],
    ['/plants/all/leaves/one', { at: '/plants/{id}/leaves/{leaf}', id: 'all', leaf: 'one' }],
    ['/plants/stats/leaves/one', { at: '/plants/{id}/leaves/{leaf}', id: 'stats', leaf: 'one' }],
  ])('%s is routed', (path, expected) => expect(find(path)).toEqual(expected));

  it.each([
    ['', 'is empty'],
    ['/plant', 'is unknown'],
    ['/Plants', 'is written otherwise'],
    ['/plants/', 'lacks its parameter'],
    ['/plants/rose/', 'has one segment too many'],
    ['/plants/%zz', 'is not encoded properly'],
    ['/plants/%ff', 'is malformed'],
    [`/plants/${'x'.repeat(513)}`, 'is beyond measure'],
  ])('%s is not routed: it %s', (path) => expect(find(path)).toBeUndefined());

  it('is routed by its method; HEAD is routed as GET', () => {
    expect(find('/plants', 'HEAD')).toEqual({ at: '/plants' });
    expect(find('/plants', 'POST')).toBeUndefined();
  });
});

it('any parameter value arrives unchanged', () => {
  const find = routerOf('/plants/{id}', '/plants/{id}/leaves/{leaf}');
  const text = fc.string({ minLength: 1, maxLength: 200, unit: 'grapheme' });
  fc.assert(
    fc.property(text, text, (id, leaf) => {
      const path = `/plants/${encodeURIComponent(id)}/leaves/${encodeURIComponent(leaf)}`;
      expect(find(path)).toEqual({ at: '/plants/{id}/leaves/{leaf}', id, leaf });
    }),
  );
});

it('a route cannot be registered twice', () => {
  const router = new Router();
  router.add('GET', '/plants/{id}', route('first'));
  expect(() => router.add('GET', '/plants/{name}', route('second'))).toThrow(
    'GET /plants/{name} is defined twice, as first and second.',
  );
});
