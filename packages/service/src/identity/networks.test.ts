import { expect, it } from 'vitest';
import { isWithin, type Network, parseNetwork, printNetwork } from './networks.ts';

const printed = (text: string) => {
  const network = parseNetwork(text);
  return network && printNetwork(network);
};

it('networks are parsed into a canonical form', () => {
  expect(printed('192.0.2.7/24')).toBe('192.0.2.0/24');
  expect(printed('192.0.2.7')).toBe('192.0.2.7/32');
  expect(printed('0.0.0.0/0')).toBe('0.0.0.0/0');
  expect(printed('2001:DB8::1/32')).toBe('2001:db8::/32');
  expect(printed('::1')).toBe('::1/128');
  expect(printed('::ffff:192.0.2.0/120')).toBe('192.0.2.0/24');
});

it('invalid networks, and those that programs interpret differently, are refused', () => {
  const wrong = [
    '',
    '/',
    '/8',
    '10',
    '10.0.0/8',
    '010.0.0.1',
    '0x7f.0.0.1',
    '10.0.0.0/33',
    '10.0.0.0/-1',
    '10.0.0.0/',
    '::/129',
  ];
  for (const text of [
    ...wrong,
    'localhost',
    '10.0.0.0/8 ',
    '1.2.3.4.5',
    ':::',
    '::ffff:192.0.2.0/24',
    'fe80::1%eth0/64',
  ]) {
    expect(printed(text), text).toBeUndefined();
  }
});

it('addresses are matched against networks, in every notation of IPv4', () => {
  const networks = [parseNetwork('10.0.0.0/8'), parseNetwork('2001:db8::/32')] as Network[];
  for (const address of ['10.255.0.1', '::ffff:10.1.2.3', '2001:db8:1::2'])
    expect(isWithin(address, networks)).toBe(true);
  for (const address of ['11.0.0.1', '::1', '', 'x', '::10.0.0.1']) expect(isWithin(address, networks)).toBe(false);
  expect(isWithin('10.0.0.1', [])).toBe(false);
});
