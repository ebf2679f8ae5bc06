import { expect, test } from 'vitest';
import { ConfigError } from '../options/config-error.ts';
import { formatCidr } from './address-range.ts';
import { readNetworkPool } from './pool-setting.ts';

test('a pool is one IPv4 block or several', () => {
  expect(readNetworkPool('10.254.0.0/16').map(formatCidr)).toEqual(['10.254.0.0/16']);
  expect(readNetworkPool(' 10.0.0.0/28, 192.168.4.0/22 172.16.0.0/12').map(formatCidr)).toEqual([
    '10.0.0.0/28',
    '192.168.4.0/22',
    '172.16.0.0/12',
  ]);
});

test.each([
  ['', 'is empty'],
  ['fd00::/8', 'IPv6'],
  ['10.0.0.0', '"10.0.0.0" is not one'],
  ['10.0.0.0/33', 'is not one'],
  ['10.0.0.256/24', 'is not one'],
  ['everything', 'is not one'],
  ['10.0.0.5/16', 'write 10.0.0.0/16'],
  ['10.0.0.0/29', 'the minimum is a /28'],
  ['10.0.0.0/7', 'the maximum is a /8'],
  ['127.0.0.0/16', 'cannot use'],
  ['239.0.0.0/16', 'cannot use'],
  ['10.0.0.0/16, 10.0.8.0/24', 'overlapping'],
])('the pool %j is refused with a message that names the setting and the reason', (text, why) => {
  expect(() => readNetworkPool(text)).toThrow(ConfigError);
  expect(() => readNetworkPool(text)).toThrow(/^HORTUS_NETWORK_POOL /);
  expect(() => readNetworkPool(text)).toThrow(why);
});
