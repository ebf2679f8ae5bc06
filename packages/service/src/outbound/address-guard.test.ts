import type { LookupAddress } from 'node:dns';
import { describe, expect, it } from 'vitest';
import { AddressGuard, AddressRefused, isPublic } from './address-guard.ts';

const resolving = (names: Record<string, string[]>, allowPrivate = false) =>
  new AddressGuard({
    allowPrivate,
    resolve: (host, _, done) => {
      const addresses = names[host];
      if (!addresses) return done(Object.assign(new Error('no such name'), { code: 'ENOTFOUND' }), []);
      done(
        null,
        addresses.map((address): LookupAddress => ({ address, family: address.includes(':') ? 6 : 4 })),
      );
    },
  });

describe('an address', () => {
  it.each([
    ['loopback', '127.0.0.1', '127.255.255.254', '::1'],
    ['this network', '0.0.0.0', '0.1.2.3', '::'],
    ['private', '10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1'],
    ['link-local, where clouds keep their metadata', '169.254.169.254', 'fe80::1', 'fe80::1%eth0'],
    ['shared by carriers', '100.64.0.1', '100.127.255.255'],
    ['multicast and broadcast', '224.0.0.1', '239.1.1.1', '255.255.255.255', 'ff02::1'],
    ['reserved, documentation and benchmarks', '240.0.0.1', '192.0.2.1', '198.18.0.1', '203.0.113.7', '2001:db8::1'],
    ['IPv4-mapped and -compatible', '::ffff:127.0.0.1', '::ffff:8.8.8.8', '::7f00:1'],
    ['translated', '64:ff9b::7f00:1', '64:ff9b:1::1', '2002:7f00:1::', '2001:0:53aa:64c::1'],
    ['unique and site local', 'fc00::1', 'fd12:3456::1', 'fec0::1'],
    ['no address at all', 'garden', ''],
  ])('is not public: %s', (_, ...addresses) => {
    for (const address of addresses) expect([address, isPublic(address)]).toEqual([address, false]);
  });

  it('is public if it is in no reserved range', () => {
    for (const address of ['8.8.8.8', '1.1.1.1', '172.32.0.1', '100.128.0.1', '2606:4700:4700::1111']) {
      expect([address, isPublic(address)]).toEqual([address, true]);
    }
  });
});

describe('a registration', () => {
  const guard = resolving({
    'public.example': ['93.184.216.34'],
    'inside.example': ['10.1.2.3'],
    'mixed.example': ['93.184.216.34', '127.0.0.1'],
    'v6.example': ['::ffff:10.0.0.1'],
  });
  const check = (url: string) => guard.check(new URL(url));

  it('accepts public addresses, and a name that cannot be resolved yet', async () => {
    await check('https://public.example/hook');
    await check('http://93.184.216.34:8080/');
    await check('https://unknown.example/');
  });

  it.each([
    'http://inside.example/',
    'http://mixed.example/',
    'http://v6.example/',
    'http://localhost:3000/',
    'http://LOCALHOST./',
    'http://a.localhost/',
    'http://127.0.0.1/',
    'http://127.1/',
    'http://2130706433/',
    'http://0x7f000001/',
    'http://0177.0.0.1/',
    'http://127.0.0.1./',
    'http://①②⑦.0.0.1/',
    'http://[::1]/',
    'http://[::ffff:7f00:1]/',
    'http://[64:ff9b::10.0.0.1]/',
    'http://0/',
  ])('refuses %s', async (url) => {
    await expect(check(url)).rejects.toThrow(AddressRefused);
  });

  it('accepts private addresses if the operator allows it', async () => {
    const open = resolving({}, true);
    await open.check(new URL('http://127.0.0.1/'));
    await open.check(new URL('http://localhost/'));
  });
});

describe('a connection', () => {
  const poll = (guard: AddressGuard, host: string, all: boolean) =>
    new Promise((resolve, reject) =>
      guard.lookup(host, { all }, (error, address) => (error ? reject(error) : resolve(address))),
    );

  it('is made only to an address that was checked', async () => {
    const guard = resolving({ 'public.example': ['93.184.216.34'], 'rebound.example': ['127.0.0.1'] });
    expect(await poll(guard, 'public.example', false)).toBe('93.184.216.34');
    expect(await poll(guard, 'public.example', true)).toEqual([{ address: '93.184.216.34', family: 4 }]);
    await expect(poll(guard, 'rebound.example', true)).rejects.toThrow(AddressRefused);
    await expect(poll(guard, 'rebound.example', false)).rejects.toThrow(AddressRefused);
    await expect(poll(guard, 'unknown.example', false)).rejects.toThrow('no such name');
  });
});
