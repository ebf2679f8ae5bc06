import { setTimeout as sleep } from 'node:timers/promises';
import type { Storage } from '../storage/storage.ts';

const MOST_MS = 30;

/** With `npm run test:late`. */
export const asTheRunAsks = (storage: Storage): Storage =>
  process.env.HORTUS_TEST_LATE ? answeredLate(storage) : storage;

/**
 * A storage whose commits are heard of late, as on a slow disk: readers see what is written long before whoever wrote it
 * goes on. A test that takes the one for the other fails here each time, instead of once in a hundred runs.
 */
function answeredLate(storage: Storage): Storage {
  let told: Promise<unknown> = Promise.resolve();
  return {
    ...storage,
    async write(work) {
      const value = await storage.write(work);
      // The listeners hear of it first, in the order of the commits, as without this.
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
