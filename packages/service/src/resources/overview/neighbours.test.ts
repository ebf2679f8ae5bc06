import { describe, expect, it } from 'vitest';
import { hostPortsOf } from '../instances/host-ports.ts';
import { consoleHosts, isOwnMachine, neighboursOf } from './neighbours.ts';

const hosts = consoleHosts('https://Hortus.example.org/base', ['hortus.internal']);
const reachable = (url: string | null) => [{ id: 'ins_1', name: 'journal', url }];

describe('the host names of the console', () => {
  it('are those of its address and of HORTUS_ALLOWED_HOSTS', () =>
    expect(hosts).toEqual(['hortus.example.org', 'hortus.internal']));

  it('are all names of this machine if its address is one of them', () =>
    expect(consoleHosts('http://127.0.0.1:8420', [])).toEqual(['127.0.0.1', 'localhost', '[::1]']));
});

describe('an instance shares the host name of the console', () => {
  it.each(['http://hortus.example.org:8080/', 'https://HORTUS.internal', 'http://hortus.example.org/wiki'])(
    'at %s',
    (url) =>
      expect(neighboursOf(hosts, reachable(url), [])).toEqual([
        { instance_id: 'ins_1', name: 'journal', addresses: [url] },
      ]),
  );

  it.each([null, 'http://journal.hortus.example.org', 'https://example.org', 'http://192.0.2.7:80', 'not an address'])(
    'not at %s',
    (url) => expect(neighboursOf(hosts, reachable(url), [])).toEqual([]),
  );

  it('with ports that it publishes on the machine of the console', () => {
    const publishing = [{ id: 'ins_1', name: 'journal', ports: ['5432', '*'] }];
    expect(neighboursOf(hosts, reachable('http://hortus.internal:8080'), publishing)).toEqual([
      {
        instance_id: 'ins_1',
        name: 'journal',
        addresses: ['http://hortus.internal:8080', 'hortus.example.org:5432', 'hortus.example.org:*'],
      },
    ]);
  });

  it('and no more than 20 are named', () => {
    const many = Array.from({ length: 30 }, (_, i) => ({ id: `ins_${i}`, name: 'x', url: 'http://hortus.internal' }));
    expect(neighboursOf(hosts, many, [])).toHaveLength(20);
  });
});

it.each([
  ['127.0.0.1', true],
  ['127.1.2.3', true],
  ['::ffff:127.0.0.1', true],
  ['::1', true],
  ['192.0.2.7', true],
  ['2001:db8::7', true],
  ['192.0.2.8', false],
  ['127.0.0.1.example', false],
  [null, false],
])('a daemon that connects from %s is on the machine of the console: %s', (address, isOwn) =>
  expect(isOwnMachine(address, ['192.0.2.7', '[2001:db8::7]'])).toBe(isOwn),
);

it('published TCP ports are those with a port of the server', () => {
  const ports = [
    { container_port: 80 },
    { container_port: 5432, host_port: 5433 },
    { container_port: 53, host_port: 53, protocol: 'udp' },
    { container_port: 6000, last_port: 6010, host_port: 7000, protocol: 'tcp' },
    { container_port: 25, host_port: '${inputs.PORT}' },
  ];
  const spec = { components: { app: { ports }, database: { ports: [] } } } as unknown as Parameters<
    typeof hostPortsOf
  >[0];
  expect(hostPortsOf(spec)).toEqual(['5433', '7000-7010', '*']);
});
