import { describe, expect, it } from 'vitest';
import { callerAddress, isLoopback } from './caller-address.ts';

describe('the address of a caller', () => {
  const trusting = callerAddress(['10.0.0.0/8', 'fd00::/8']);

  it.each([
    ['the peer, without a header', '203.0.113.1', undefined, '203.0.113.1'],
    ['the peer, if it is not a trusted proxy', '203.0.113.1', '1.1.1.1', '203.0.113.1'],
    ['the one named by the proxy', '10.0.0.1', '203.0.113.5', '203.0.113.5'],
    ['the last hop that is not a trusted proxy', '10.0.0.1', '6.6.6.6, 203.0.113.5, 10.1.1.1', '203.0.113.5'],
    ['the farthest proxy, if all hops are trusted', '10.0.0.1', '10.2.2.2, 10.1.1.1', '10.2.2.2'],
    ['the proxy, if its header is invalid', '10.0.0.1', 'unknown', '10.0.0.1'],
    ['an IPv6 address', 'fd00::1', '2001:db8::7', '2001:db8::7'],
    ['the one named by a proxy with an IPv4-mapped IPv6 address', '::ffff:10.0.0.1', '203.0.113.5', '203.0.113.5'],
    ['0.0.0.0 if the peer has disconnected', undefined, undefined, '0.0.0.0'],
  ])('is %s', (_what, peer, header, expected) => {
    expect(trusting(peer, header)).toBe(expected);
  });

  it('is always the peer if no proxy is trusted', () => {
    const wary = callerAddress([]);
    expect(wary('127.0.0.1', '203.0.113.5')).toBe('127.0.0.1');
    expect(wary('::ffff:192.0.2.1', undefined)).toBe('192.0.2.1');
  });
});

it('loopback addresses are recognized as this machine', () => {
  expect(['127.0.0.1', '127.8.8.8', '::1', '128.0.0.1', '::2'].map(isLoopback)).toEqual([
    true,
    true,
    true,
    false,
    false,
  ]);
});
