import { setTimeout as sleep } from 'node:timers/promises';
import type { Storage } from '../storage/storage.ts';

const MAX_MS = 30;

/** Delays answers with `npm run test:late`. */
export const delayedIfAsked = (storage: Storage): Storage =>
  process.env.HORTUS_TEST_LATE ? withLateCommits(storage) : storage;

/**
 * A storage that reports commits late, as on a slow disk: readers see the data long before its writer continues. A test
 * that confuses the two always fails here, instead of once in a hundred runs.
 */
function withLateCommits(storage: Storage): Storage {
  let reported: Promise<unknown> = Promise.resolve();
  return {
    ...storage,
    async write(work) {
      const value = await storage.write(work);
      // Listeners are called first, in commit order, as without the delay.
      await reported;
      await nowOrLater();
      return value;
    },
    onCommit: (listener) =>
      storage.onCommit((notices) => {
        reported = reported.then(nowOrLater).then(() => listener(notices));
      }),
  };
}

const nowOrLater = () => (Math.random() < 0.5 ? undefined : sleep(Math.random() * MAX_MS));
