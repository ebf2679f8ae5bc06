import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Candidate, lackingOf, type Needs, type Occupancy } from './choosing.ts';
import { noServerFits, Survey } from './survey.ts';

const MIB = 2 ** 20;
const nothing: Needs = {
  labels: {},
  memory: 0,
  cores: 0,
  ports: [],
  manifest: { components: [], routes: [] },
};
const empty: Occupancy = { memory: 0, ports: new Set(), hosts: [] };

const label = fc.constantFrom('berlin', 'paris');
const port = fc.constantFrom('80/tcp', '443/tcp', '53/udp');
const candidates = fc.uniqueArray(
  fc.record({
    id: fc.integer({ min: 1, max: 60 }).map((n) => `srv_${String(n).padStart(3, '0')}`),
    name: fc.constantFrom('web', 'db'),
    status: fc.constantFrom('online', 'online', 'online', 'offline', 'draining'),
    labels: label.map((site) => ({ site })),
    arch: fc.constantFrom('amd64', 'arm64', undefined),
    fingerprint: fc.constant(null),
    trusted: fc.boolean(),
    capacity: fc.option(
      fc.record({
        memory: fc.integer({ min: 0, max: 4096 }).map((n) => n * MIB),
        memoryUsed: fc.integer({ min: 0, max: 2048 }).map((n) => n * MIB),
        cores: fc.integer({ min: 1, max: 8 }),
        diskUsedPercent: fc.integer({ min: 0, max: 100 }),
      }),
      { nil: undefined },
    ),
    definitions: fc.nat(20),
  }),
  { selector: ({ id }) => id, maxLength: 40 },
);
const needed: fc.Arbitrary<Needs> = fc.record({
  labels: fc.option(
    label.map((site) => ({ site })),
    { nil: {} as Record<string, string> },
  ),
  arch: fc.constantFrom(undefined, undefined, 'amd64'),
  memory: fc.integer({ min: 0, max: 2048 }).map((n) => n * MIB),
  cores: fc.nat(4),
  ports: fc.uniqueArray(port),
  manifest: fc.constant(nothing.manifest),
});
const occupancies = fc.dictionary(
  fc.integer({ min: 1, max: 60 }).map((n) => `srv_${String(n).padStart(3, '0')}`),
  fc.record({
    memory: fc.integer({ min: 0, max: 4096 }).map((n) => n * MIB),
    ports: fc.uniqueArray(port).map((ports) => new Set(ports)),
    hosts: fc.constant([]),
  }),
);

describe('the choice of a server', () => {
  const of = (servers: readonly Candidate[], taken: Record<string, Occupancy>) =>
    new Survey(servers, async (id) => taken[id] ?? empty);

  it('fits whenever a server fits, is one that fits, and does not depend on the order of the servers', async () => {
    await fc.assert(
      fc.asyncProperty(candidates, needed, occupancies, async (servers, needs, taken) => {
        const choice = await of(servers, taken).choose(needs);
        const fit = servers.filter((server) => lackingOf(server, needs, taken[server.id] ?? empty).length === 0);
        expect(choice.chosen === undefined).toBe(fit.length === 0);
        if (choice.chosen) expect(fit.map(({ id }) => id)).toContain(choice.chosen.id);
        const again = await of(servers.toReversed(), taken).choose(needs);
        expect(again.chosen?.id).toBe(choice.chosen?.id);
        expect(choice.considered.length).toBeLessThanOrEqual(20);
        expect(choice.total).toBe(servers.length);
        for (const { fits, lacking } of choice.considered) expect(fits).toBe(lacking.length === 0);
      }),
    );
  });

  it('never plans more memory or a port twice on a server, however many are chosen', async () => {
    await fc.assert(
      fc.asyncProperty(candidates, fc.array(needed, { maxLength: 15 }), async (servers, many) => {
        const survey = of(servers, {});
        const memory = new Map<string, number>();
        const ports = new Map<string, Set<string>>();
        for (const needs of many) {
          const { chosen } = await survey.choose(needs);
          if (!chosen) continue;
          survey.take(chosen.id, needs);
          memory.set(chosen.id, (memory.get(chosen.id) ?? 0) + needs.memory);
          const used = ports.get(chosen.id) ?? new Set();
          for (const port of needs.ports) {
            expect(used.has(port)).toBe(false);
            used.add(port);
          }
          ports.set(chosen.id, used);
        }
        for (const { id, capacity } of servers)
          if (capacity) expect(memory.get(id) ?? 0).toBeLessThanOrEqual(capacity.memory);
      }),
    );
  });

  it('names what each server lacks, and bounds the message', async () => {
    const servers = Array.from({ length: 30 }, (_, n) => ({
      ...{ id: `srv_${n}`, name: `web-${n}`, status: 'offline', labels: {}, arch: undefined, fingerprint: null },
      ...{ trusted: true, capacity: undefined, definitions: 0 },
    }));
    const { message, details } = noServerFits(await of(servers, {}).choose({ ...nothing, labels: { site: 'berlin' } }));
    expect(message).toMatch(
      /^server_id: none of 30 servers fits: web-0: is offline, has no label site; .*and 25 more\.$/,
    );
    expect(details?.servers).toHaveLength(20);
    expect(noServerFits(await of([], {}).choose(nothing)).message).toContain('register one first');
  });
});
