import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Load, type Movable, propose } from './balancing.ts';

const loads = fc.uniqueArray(
  fc.record({
    id: fc.nat(12).map((n) => `srv_${n}`),
    name: fc.constant('web'),
    memory: fc.integer({ min: 1, max: 64 }),
  }),
  { selector: ({ id }) => id, maxLength: 8 },
);
const movables = (servers: readonly Load[]): fc.Arbitrary<Movable[]> =>
  servers.length === 0
    ? fc.constant([])
    : fc
        .array(
          fc.record({
            name: fc.constant('blog'),
            serverId: fc.constantFrom(...servers.map(({ id }) => id)),
            memory: fc.integer({ min: 1, max: 8 }),
            not: fc.subarray(servers.map(({ id }) => id)).map((ids) => new Set(ids)),
          }),
          { maxLength: 25 },
        )
        .map((all) => all.map((item, n) => ({ ...item, id: `def_${n}` })));
const cases = loads.chain((servers) => fc.tuple(fc.constant(servers), movables(servers)));

const highest = (servers: readonly Load[], taken: ReadonlyMap<string, number>) =>
  Math.max(0, ...servers.map(({ id, memory }) => (taken.get(id) ?? 0) / memory));

describe('a proposal of moves', () => {
  it('never makes the fullest server fuller, moves nothing twice or where it may not go, and is bounded', () => {
    fc.assert(
      fc.property(cases, fc.nat(20), ([servers, all], max) => {
        const before = propose(servers, all, new Map(), 0);
        const { moves, taken } = propose(servers, all, new Map(), max);
        expect(moves.length).toBeLessThanOrEqual(max);
        expect(new Set(moves.map(({ movable }) => movable.id)).size).toBe(moves.length);
        for (const { movable, from, to } of moves) {
          expect(movable.serverId).toBe(from.id);
          expect(movable.not.has(to.id)).toBe(false);
        }
        expect(highest(servers, taken)).toBeLessThanOrEqual(highest(servers, before.taken) + 1e-9);
        const sum = (of: ReadonlyMap<string, number>) => [...of.values()].reduce((total, number) => total + number, 0);
        expect(sum(taken)).toBeCloseTo(sum(before.taken));
      }),
    );
  });

  it('does not depend on the order of its input', () => {
    fc.assert(
      fc.property(cases, ([servers, all]) => {
        const ids = (proposal: ReturnType<typeof propose>) =>
          proposal.moves.map(({ movable, to }) => [movable.id, to.id]);
        expect(ids(propose(servers.toReversed(), all.toReversed(), new Map(), 20))).toEqual(
          ids(propose(servers, all, new Map(), 20)),
        );
      }),
    );
  });

  it('moves from a full server to an empty one, and not for a small gain', () => {
    const servers = ['a', 'b'].map((id) => ({ id, name: id, memory: 100 }));
    const movable = (id: string, memory: number) => ({ id, name: id, serverId: 'a', memory, not: new Set<string>() });
    const { moves } = propose(servers, [movable('x', 30), movable('y', 30)], new Map(), 20);
    expect(moves).toMatchObject([{ movable: { id: 'x' }, fromPercent: [60, 30], toPercent: [0, 30] }]);
    expect(propose(servers, [movable('x', 4)], new Map([['a', 50]]), 20).moves).toEqual([]);
  });
});
