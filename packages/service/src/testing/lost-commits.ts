import { OutcomeUnknown, type Storage } from '../storage/storage.ts';

/** A storage whose connection can be lost between a commit and its answer. */
export interface LosingStorage {
  readonly storage: Storage;
  /** Loses the answer to the next commit, which is made nevertheless. */
  loseNext(): void;
}

export function losingStorage(storage: Storage): LosingStorage {
  let losing = false;
  return {
    storage: {
      ...storage,
      async write(work) {
        const loses = losing;
        losing = false;
        const value = await storage.write(work);
        if (loses) throw new OutcomeUnknown();
        return value;
      },
    },
    loseNext() {
      losing = true;
    },
  };
}
