import { setTimeout as sleep } from 'node:timers/promises';
import type { Storage } from '../storage/storage.ts';

const MOST_MS = 30;

/** Delays answers with `npm run test:late`. */
export const asTheRunAsks = (storage: Storage): Storage =>
  process.env.HORTUS_TEST_LATE ? answeredLate(storage) : storage;

/**
 * A storage that reports commits late, as on a slow disk: readers see the data long before its writer continues. A test
 * that confuses the two always fails here, instead of once in a hundred runs.
 */
function answeredLate(storage: Storage): Storage {
  let told: Promise<unknown> = Promise.resolve();
  return {
    ...storage,
    async write(work) {
      const value = await storage.write(work);
      // Listeners are called first, in commit order, as without the delay.
      await told;
      await nowOrLater();
      return value;
    },
    onCommit: (listener) =>
      storage.onCommit((notices) => {
        told = told.then(nowOrLater).then(() => listener(notices));
      }),
  };
}

const nowOrLater = () => (Math.random() < 0.5 ? undefined : sleep(Math.random() * MOST_MS));
