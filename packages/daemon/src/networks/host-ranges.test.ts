import { expect, test } from 'vitest';
import { type AddressRange, formatCidr, parseCidr } from './address-range.ts';
import { defaultPool } from './default-pools.ts';
import { hostRanges, routesOfTable, routesOfTrie } from './host-ranges.ts';

const TRIE = `Main:
  +-- 0.0.0.0/0 3 0 5
     +-- 0.0.0.0/4 2 0 2
        |-- 0.0.0.0
           /0 universe UNICAST
           /1 universe UNICAST
        |-- 10.0.0.0
           /8 universe UNICAST
           /24 link UNICAST
     |-- 128.0.0.0
        /1 universe UNICAST
Id 52:
  |-- 192.168.7.0
     /24 universe UNICAST
Local:
  |-- 10.0.0.5
     /32 host LOCAL
`;

const TABLE = `Iface	Destination	Gateway 	Flags	RefCnt	Use	Metric	Mask		MTU	Window	IRTT
eth0	00000000	0100000A	0003	0	0	0	00000000	0	0	0
tun0	0000000A	00000000	0001	0	0	0	000000FF	0	0	0
eth0	0007A8C0	00000000	0001	0	0	0	00FFFFFF	0	0	0
`;

test('routes of all tables count, except default routes', () => {
  const expected = ['10.0.0.0/8', '10.0.0.0/24', '192.168.7.0/24', '10.0.0.5/32'];
  expect(routesOfTrie(TRIE).map(formatCidr)).toEqual(expected);
  expect(routesOfTable(TABLE).map(formatCidr)).toEqual(['10.0.0.0/8', '192.168.7.0/24']);
});

test('the loopback of this host is among its ranges', async () => {
  expect((await hostRanges()).map(formatCidr)).toContain('127.0.0.0/8');
});

test('the default pool is the first candidate that the host neither uses nor routes to', () => {
  const poolBeside = (...used: string[]) =>
    defaultPool(used.map((text) => parseCidr(text) as AddressRange)).map(formatCidr);
  expect(poolBeside()).toEqual(['10.254.0.0/16']);
  expect(poolBeside('10.254.3.0/24')).toEqual(['10.222.0.0/16']);
  expect(poolBeside('10.0.0.0/8')).toEqual(['172.16.0.0/16']);
  expect(poolBeside('10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16')).toEqual(['198.18.0.0/16']);
  expect(poolBeside('10.0.0.0/8', '172.16.0.0/12', '198.18.0.7/32')).toHaveLength(6);
});
