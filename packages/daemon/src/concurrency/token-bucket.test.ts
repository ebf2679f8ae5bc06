import { expect, test } from 'vitest';
import { paced } from './token-bucket.ts';

test('an endless output is read up to its burst, and its writer waits', async () => {
  let written = 0;
  async function* endless() {
    for (;;) {
      written++;
      yield { chunk: Buffer.alloc(1_000) };
    }
  }
  const over = new AbortController();
  let read = 0;
  for await (const _ of paced(endless(), { perSecond: 0.001, burst: 10_000 }, over.signal)) {
    read++;
    // The next one is beyond the burst.
    if (read === 11) setImmediate(() => over.abort());
  }
  expect([read, written]).toEqual([11, 11]);
});
