import { expect, it } from 'vitest';
import { sameOrigin } from './same-origin.ts';
import { printSessionCookie, readSessionCookie } from './session-cookie.ts';

it('the session cookie is found among others', () => {
  expect(readSessionCookie('a=1; hortus_session=abc-_1; b=2', false)).toBe('abc-_1');
  expect(readSessionCookie('hortus_session=abc', false)).toBe('abc');
  for (const header of [undefined, '', 'hortus_session=', 'xhortus_session=abc', 'hortus_session_x=abc']) {
    expect(readSessionCookie(header, false)).toBeUndefined();
  }
});

it('over TLS, a cookie that a subdomain or a plain request could have set is ignored', () => {
  expect(readSessionCookie('hortus_session=planted', true)).toBeUndefined();
  expect(readSessionCookie('hortus_session=planted; __Host-hortus_session=abc', true)).toBe('abc');
  expect(readSessionCookie('__Host-hortus_session=abc', false)).toBeUndefined();
});

it('scripts and other sites cannot use the session cookie', () => {
  expect(printSessionCookie('abc', true, Date.UTC(2030, 0, 1))).toBe(
    '__Host-hortus_session=abc; Path=/; Expires=Tue, 01 Jan 2030 00:00:00 GMT; HttpOnly; SameSite=Strict; Secure',
  );
  expect(printSessionCookie('abc', false, 1)).not.toContain('Secure');
  expect(printSessionCookie(null, false)).toContain('hortus_session=; Path=/; Expires=Thu, 01 Jan 1970');
});

it('a change is accepted only from our own pages', () => {
  const url = 'https://hortus.example/';
  const own = [
    { 'sec-fetch-site': 'same-origin' },
    { origin: 'https://hortus.example' },
    { origin: 'http://127.0.0.1:8420', host: '127.0.0.1:8420' },
  ];
  for (const headers of own) expect(sameOrigin(headers, url), JSON.stringify(headers)).toBe(true);
  const foreign = [
    {},
    { host: 'hortus.example' },
    { 'sec-fetch-site': 'cross-site', origin: 'https://hortus.example' },
    { 'sec-fetch-site': 'same-site' },
    { 'sec-fetch-site': 'none' },
    { origin: 'null', host: 'hortus.example' },
    { origin: 'https://evil.example', host: 'hortus.example' },
    { origin: 'https://hortus.example.evil.example', host: 'hortus.example' },
  ];
  for (const headers of foreign) expect(sameOrigin(headers, url), JSON.stringify(headers)).toBe(false);
});
