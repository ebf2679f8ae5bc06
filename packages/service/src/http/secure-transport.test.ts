import { expect, it } from 'vitest';
import { secureTransport, strictTransport } from './secure-transport.ts';

const secure = secureTransport(['10.0.0.0/8', '127.0.0.2']);

it.each([
  ['a caller on this machine', '127.0.0.1', {}, true],
  ['a caller on this machine by IPv6', '::1', {}, true],
  ['a caller on this machine by IPv4-mapped IPv6', '::ffff:127.0.0.1', {}, true],
  ['a remote caller', '203.0.113.1', {}, false],
  ['a remote caller that claims TLS', '203.0.113.1', { 'x-forwarded-proto': 'https' }, false],
  ['a trusted proxy with TLS', '10.0.0.1', { 'x-forwarded-proto': 'https' }, true],
  ['a trusted proxy with TLS at every hop', '10.0.0.1', { 'x-forwarded-proto': 'https, HTTPS' }, true],
  ['a trusted proxy with one hop in plaintext', '10.0.0.1', { 'x-forwarded-proto': 'https, http' }, false],
  ['a trusted proxy that does not name the protocol', '10.0.0.1', { 'x-forwarded-for': '203.0.113.1' }, false],
  ['a trusted proxy that makes a request itself', '10.0.0.1', {}, false],
  ['a trusted proxy on this machine for a plain caller', '127.0.0.2', { 'x-forwarded-proto': 'http' }, false],
  ['an undeclared proxy on this machine', '127.0.0.1', { 'x-forwarded-proto': 'https' }, false],
  ['a peer that has disconnected', undefined, {}, false],
])('the transport of %s is judged correctly', (_what, peer, headers, expected) => {
  expect(secure(peer, headers)).toBe(expected);
});

it.each([
  ['https://hortus.example.org', '203.0.113.1', { host: 'hortus.example.org' }, true],
  ['https://hortus.example.org:8443', '203.0.113.1', { host: 'Hortus.example.org:8443' }, true],
  ['https://hortus.example.org', '203.0.113.1', { host: 'hortus.example.org', 'x-forwarded-proto': 'http' }, false],
  ['https://hortus.example.org', '127.0.0.1', { host: '127.0.0.1:8420' }, false],
  ['http://hortus.example.org', '203.0.113.1', { host: 'hortus.example.org' }, false],
  ['http://hortus.example.org', '203.0.113.1', { 'x-forwarded-proto': 'https' }, false],
  ['http://hortus.example.org', '10.0.0.1', { 'x-forwarded-proto': 'https' }, true],
  ['https://localhost', '10.0.0.1', { host: 'localhost', 'x-forwarded-proto': 'https' }, false],
] as const)(
  'a browser is never kept on TLS by a plain request: %s from %s with %j',
  (publicUrl, peer, headers, expected) => {
    const sent = strictTransport({ publicUrl, trustedProxies: ['10.0.0.0/8'] })(peer, headers);
    expect(sent).toEqual(expected ? { 'Strict-Transport-Security': 'max-age=31536000' } : {});
  },
);
