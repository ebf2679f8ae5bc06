import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Reception } from './reception.ts';

interface Guest {
  readonly serverId: string;
  readonly welcome: boolean;
}

const guests = fc.array(fc.record({ serverId: fc.string(), welcome: fc.boolean() }), { minLength: 1, maxLength: 40 });

it('each arriving daemon gets its own outcome, in order and in few groups', async () => {
  await fc.assert(
    fc.asyncProperty(guests, fc.integer({ min: 1, max: 10 }), async (all, atOnce) => {
      const groups: Guest[][] = [];
      const reception = new Reception<Guest, Guest>({
        atOnce,
        pauseMs: 1,
        admit: async (group) => {
          groups.push([...group]);
          return group.map((guest) =>
            guest.welcome
              ? { status: 'fulfilled' as const, value: guest }
              : { status: 'rejected' as const, reason: guest },
          );
        },
      });
      const outcomes = await Promise.allSettled(all.map((guest) => reception.arrive(guest)));
      expect(outcomes).toEqual(
        all.map((guest) =>
          guest.welcome ? { status: 'fulfilled', value: guest } : { status: 'rejected', reason: guest },
        ),
      );
      expect(groups.flat()).toEqual(all);
      expect(groups).toHaveLength(Math.ceil(all.length / atOnce));
    }),
    { numRuns: 50 },
  );
});

it('a group that could not be written is rejected, and the next is accepted', async () => {
  let broken = true;
  const reception = new Reception<Guest, number>({
    pauseMs: 1,
    admit: async (group) => {
      if (broken) throw new Error('disk full');
      return group.map(() => ({ status: 'fulfilled', value: 1 }));
    },
  });
  const guest = { serverId: 'srv', welcome: true };
  const both = await Promise.allSettled([reception.arrive(guest), reception.arrive(guest)]);
  expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  broken = false;
  expect(await reception.arrive(guest)).toBe(1);
});
