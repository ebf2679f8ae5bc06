import { pageTokenHeader } from '@hortus/contract/protocol/page-token';
import { afterEach, expect, it, vi } from 'vitest';
import { storedPageToken, withPageToken } from './page-token.ts';

const token = `hpt_${'a'.repeat(43)}`;

/** Sends a request from a page, and returns the page token that it carried. */
async function sentFrom(page: object, options: { baseUrl: string; key?: string }): Promise<string | null> {
  for (const [name, value] of Object.entries(page)) vi.stubGlobal(name, value);
  let sent: RequestInit | undefined;
  const send = withPageToken(async (_, init) => {
    sent = init;
    return new Response();
  }, options);
  await send('https://hortus.example.org/api/v1/account', { headers: { accept: 'application/json' } });
  expect(new Headers(sent?.headers).get('accept')).toBe('application/json');
  return new Headers(sent?.headers).get(pageTokenHeader);
}

afterEach(() => vi.unstubAllGlobals());

const location = { href: 'https://hortus.example.org/instances', origin: 'https://hortus.example.org' };
const storing = (value: string | null) => ({ getItem: (name: string) => (name === pageTokenHeader ? value : null) });
const page = { location, localStorage: storing(token) };
const blocked = {
  getItem: () => {
    throw new Error('blocked');
  },
};

it('a page sends its token to its own origin', async () => {
  expect(await sentFrom(page, { baseUrl: 'https://hortus.example.org/api/v1' })).toBe(token);
  expect(await sentFrom(page, { baseUrl: '/api/v1' })).toBe(token);
});

it.each([
  'https://hortus.example.org:8443/api/v1',
  'http://hortus.example.org/api/v1',
  'https://evil.example/api/v1',
  '//evil.example/api/v1',
])('a page does not send its token to %s', async (baseUrl) => {
  expect(await sentFrom(page, { baseUrl })).toBeNull();
});

it('a key is sent without the token, and a page without one sends none', async () => {
  expect(await sentFrom(page, { baseUrl: '/api/v1', key: 'hk_live_x' })).toBeNull();
  expect(await sentFrom({ location, localStorage: storing(null) }, { baseUrl: '/api/v1' })).toBeNull();
  expect(await sentFrom({ location, localStorage: blocked }, { baseUrl: '/api/v1' })).toBeNull();
});

it('a program that is no page has no token', () => {
  vi.stubGlobal('localStorage', storing(token));
  expect(storedPageToken()).toBeUndefined();
});
