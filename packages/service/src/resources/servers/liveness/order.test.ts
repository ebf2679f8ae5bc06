import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { JobRun } from '../../../jobs/job.ts';
import { onBothEngines } from '../../../testing/engines.ts';
import { insertServer } from '../testing/replica.ts';
import { Liveness } from './liveness.ts';

type Step =
  | { readonly what: 'connect' | 'poll' | 'look' }
  /** Index of the connection, counted back from the newest. */
  | { readonly what: 'disconnect'; readonly back: number }
  | { readonly what: 'wait'; readonly ms: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ what: fc.constantFrom('connect' as const, 'poll' as const, 'look' as const) }),
  fc.record({ what: fc.constant('disconnect' as const), back: fc.nat(3) }),
  fc.record({ what: fc.constant('wait' as const), ms: fc.constantFrom(1_000, 6_000, 61_000) }),
);

onBothEngines((engine) => {
  it('a server is online while its newest connection lives or it polls, whatever the order of events', async () => {
    let now = Date.now();
    const storage = await engine.open({ clock: () => now });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 20 }), async (steps) => {
        const { id } = await insertServer({ storage });
        const seen: string[] = [];
        const instances = {
          lose: async () => void seen.push('lose'),
          regain: async () => void seen.push('regain'),
        };
        const log = { error: (fields: object) => expect(fields).toBeUndefined() };
        const liveness = new Liveness({ storage, replica: 'here', log, instances });
        const row = () =>
          storage.reader.db.selectFrom('servers').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
        const run = { job: { key: id }, complete: async () => 'settled' } as unknown as JobRun;

        const living = new Set<number>();
        let newest = 0;
        let polledAt = Number.NEGATIVE_INFINITY;
        let leftAt = Number.NEGATIVE_INFINITY;
        for (const step of steps) {
          if (step.what === 'connect') {
            newest = await liveness.connected(id, {
              keyHash: (await row()).key_hash,
              capabilities: [],
              version: undefined,
              journal: null,
              sealingKey: null,
              platform: {},
            });
            living.add(newest);
            polledAt = Number.NEGATIVE_INFINITY;
          } else if (step.what === 'disconnect' && living.delete(newest - step.back)) {
            await liveness.disconnected(id, newest - step.back, false);
            if (step.back === 0) leftAt = now;
          } else if (step.what === 'poll') {
            await liveness.polled(id);
            if (!living.has(newest)) polledAt = now;
          } else if (step.what === 'wait') now += step.ms;
          await liveness.silence.run(run);
          const { status, connected_replica, connection_epoch } = await row();
          expect(connection_epoch).toBe(newest);
          expect(connected_replica).toBe(living.has(newest) ? 'here' : null);
          const there = living.has(newest) || now < polledAt + 60_000 || now < leftAt + 5_000;
          const never = newest === 0 && polledAt === Number.NEGATIVE_INFINITY;
          expect(status).toBe(there ? 'online' : never ? 'pending' : 'offline');
          expect(seen.at(-1)).toBe(never ? undefined : there ? 'regain' : 'lose');
          // Never the same twice in a row.
          expect(seen.filter((entry, i) => entry === seen[i - 1])).toEqual([]);
        }
      }),
      { numRuns: process.env.HORTUS_TEST_LONG ? 500 : 40 },
    );
  });
});
