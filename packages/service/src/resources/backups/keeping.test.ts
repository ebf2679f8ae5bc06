import fc from 'fast-check';
import { expect, test } from 'vitest';
import { outdated } from './keeping.ts';

const NOW = 1_800_000_000_000;
const DAY = 86_400_000;

const some = fc
  .array(
    fc.record({
      kind: fc.constantFrom('manual' as const, 'scheduled' as const, 'safety' as const, 'pre_deploy' as const),
      age: fc.integer({ min: 0, max: 100 }),
      verified: fc.boolean(),
      wrong: fc.boolean(),
    }),
    { maxLength: 40 },
  )
  .map((made) =>
    made
      .toSorted((a, b) => a.age - b.age)
      .map(({ kind, age, verified, wrong }, index) => ({
        id: `bkp_${index}`,
        kind,
        created_at: NOW - age * DAY,
        verified_at: verified ? NOW : null,
        verify_error: wrong ? 'damaged' : null,
      })),
  );
const limits = fc.record({
  keep_last: fc.option(fc.integer({ min: 1, max: 10 })),
  keep_days: fc.option(fc.integer({ min: 1, max: 50 })),
});

test('manual backups, the newest and the newest verified one are never outdated; the rest keeps to the limits', () => {
  fc.assert(
    fc.property(some, limits, (backups, { keep_last, keep_days }) => {
      const gone = new Set(outdated(backups, { keep_last, keep_days }, NOW));
      const kept = backups.filter(({ id }) => !gone.has(id));
      expect(backups.every(({ id, kind }) => kind !== 'manual' || !gone.has(id))).toBe(true);
      if (backups[0]) expect(gone.has(backups[0].id)).toBe(false);
      const proven = backups.find((backup) => backup.verified_at !== null && backup.verify_error === null);
      if (proven) expect(gone.has(proven.id)).toBe(false);
      const scheduled = kept.filter(
        ({ id, kind }) => kind === 'scheduled' && ![backups[0]?.id, proven?.id].includes(id),
      );
      if (keep_last !== null) expect(scheduled.length).toBeLessThanOrEqual(keep_last);
      if (keep_days !== null)
        expect(scheduled.every(({ created_at }) => created_at >= NOW - keep_days * DAY)).toBe(true);
      // Outdated ones are older than kept ones of their kind, except for those two.
      const without = outdated(kept, { keep_last, keep_days }, NOW);
      expect(without).toEqual([]);
    }),
  );
});
