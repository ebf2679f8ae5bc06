import { until } from '@hortus/testkit/until';
import { expect, it } from 'vitest';
import { guardWith } from '../process/guard.ts';
import { QuietLog } from '../testing/quiet-log.ts';
import { PacedAdmission } from './paced-admission.ts';

const guard = guardWith(new QuietLog());

it('paced admission lets in the first arrival at once and the rest in ordered groups, yielding in between', async () => {
  const admission = new PacedAdmission({ atOnce: 3, pauseMs: 5 }, guard);
  const passed: number[] = [];
  const groups: number[] = [];
  for (let n = 0; n < 10; n++) {
    admission.pass(() => {
      passed.push(n);
      if (n % 3 === 0) setImmediate(() => groups.push(passed.length));
    });
  }
  expect(passed).toEqual([0, 1, 2]);
  await until(() => passed.length === 10 && groups.length === 4, { describe: 'all to pass' });
  expect(passed).toEqual([...Array(10).keys()]);
  // Whatever else waited got its turn after every group.
  expect(groups).toEqual([3, 6, 9, 10]);
});

it('paced admission lets in at once again after a pause without arrivals', async () => {
  const admission = new PacedAdmission({ atOnce: 1, pauseMs: 1 }, guard);
  let passed = 0;
  admission.pass(() => passed++);
  admission.pass(() => passed++);
  expect(passed).toBe(1);
  await until(() => passed === 2, { describe: 'the second' });
  await until(
    () => {
      const before = passed;
      admission.pass(() => passed++);
      return passed > before;
    },
    { describe: 'one to pass at once' },
  );
});
