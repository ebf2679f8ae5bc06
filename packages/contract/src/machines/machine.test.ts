import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { machines } from './all.ts';
import { definitionMachine } from './definition.ts';
import { type Machine, machine, step } from './machine.ts';

const moveNames = (m: Machine) => [...new Set(m.moves.map((row) => row.move))];

/** A walk is a list of moves, possible or not, each with whether its guards hold. */
const walk = (m: Machine) =>
  fc.array(fc.record({ move: fc.constantFrom(...moveNames(m), 'no such move'), holds: fc.boolean() }), {
    maxLength: 60,
  });

describe.each(machines.map((m) => [m.name, m] as const))('%s', (_name, m) => {
  test('a random walk never leaves the table, and final states stay final', () => {
    fc.assert(
      fc.property(walk(m), (moves) => {
        let state: string | null = null;
        for (const { move, holds } of moves) {
          const taken: ReturnType<typeof step> = step(m, state, move, () => holds);
          if (!taken) continue;
          const from: string | null = state;
          expect(m.states).toContain(taken.to);
          const row = m.moves.find(
            (r) =>
              r.move === move &&
              (from === null ? r.from === 'none' : r.from === 'any' || (r.from !== 'none' && r.from.includes(from))) &&
              (r.to === 'same' ? taken.to === from : r.to === taken.to),
          );
          expect(row).toBeDefined();
          if (from !== null && m.final.includes(from)) expect(taken.to).toBe(from);
          state = taken.to;
        }
      }),
    );
  });

  test('every state is reachable', () => {
    const reached = new Set<string>();
    const open: (string | null)[] = [null];
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      for (const move of moveNames(m)) {
        for (const holds of [true, false]) {
          const to = step(m, at, move, () => holds)?.to;
          if (to && !reached.has(to)) {
            reached.add(to);
            open.push(to);
          }
        }
      }
    }
    expect([...reached].sort()).toEqual([...m.states].sort());
  });

  test('no row is unreachable behind an unguarded row of the same move', () => {
    for (const state of [null, ...m.states]) {
      for (const move of moveNames(m)) {
        const rows = m.moves.filter(
          (r) =>
            r.move === move &&
            (state === null ? r.from === 'none' : r.from === 'any' || (r.from !== 'none' && r.from.includes(state))),
        );
        const open = rows.findIndex((r) => r.guard === undefined);
        if (open !== -1) expect(rows.slice(open + 1)).toEqual([]);
      }
    }
  });
});

test('a guard decides between rows of one move', () => {
  expect(step(definitionMachine, 'archived', 'activate', () => true)?.to).toBe('active');
  expect(step(definitionMachine, 'archived', 'activate', () => false)?.to).toBe('pending');
});

test('moves that create apply only to new records, all other moves only to existing ones', () => {
  expect(step(definitionMachine, 'active', 'create')).toBeUndefined();
  expect(step(definitionMachine, null, 'archive')).toBeUndefined();
  expect(step(definitionMachine, null, 'revise')).toBeUndefined();
});

test('a state that only leads back to itself is final', () => {
  const m = machine({
    name: 'lamp',
    states: ['lit', 'broken'],
    moves: [
      { move: 'make', from: 'none', to: 'lit' },
      { move: 'break', from: ['lit', 'broken'], to: 'broken' },
    ],
  });
  expect(m.final).toEqual(['broken']);
});
