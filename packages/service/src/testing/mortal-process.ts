import type { Storage } from '../storage/storage.ts';
import type { Process } from './running-service.ts';

/** A process that dies when it writes something for the n-th time: in the middle of the transaction, or after its commit. */
export class MortalProcess implements Process {
  dead = false;
  /** Then it writes nothing, and its parts can be closed. */
  buried = false;
  readonly #deadly: RegExp;
  readonly #committed: boolean;
  #left: number;
  #dying = false;

  constructor(deadly: RegExp, writes: number, committed: boolean) {
    this.#deadly = deadly;
    this.#left = writes;
    this.#committed = committed;
  }

  readonly hooks = {
    beforeStatement: (text: string) => {
      if (!this.#deadly.test(text)) return;
      this.#left -= 1;
      if (this.#left !== 0) return;
      if (this.#committed) this.#dying = true;
      else this.#die();
    },
  };

  around(storage: Storage): Storage {
    return {
      ...storage,
      write: async (work) => {
        if (this.buried) return undefined as never;
        if (this.dead) throw new Error('The process is dead.');
        const result = await storage.write(work);
        if (this.#dying) this.#die();
        return result;
      },
    };
  }

  #die(): never {
    this.dead = true;
    throw new Error('The process is dead.');
  }
}
