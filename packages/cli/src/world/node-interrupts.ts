/** Signals that ask the program to end. */
const endings = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

export interface Interrupts {
  /** The first signal aborts it instead of ending the program; a second one ends the program. */
  taken(): AbortSignal;
  /** Ignores Ctrl-C during the work: the terminal sends it to the program in the foreground too, which handles it. */
  ignoredDuring<Result>(work: Promise<Result>): Promise<Result>;
}

/** Ends the program at a signal with `leave`, until a command takes over the first one for its own ending. */
export function nodeInterrupts(own: Pick<NodeJS.Process, 'on' | 'exit'>, leave: () => void): Interrupts {
  let ending: AbortController | undefined;
  let ignoring = 0;
  const interrupted = (code: number) => {
    if (ending === undefined || ending.signal.aborted) return code === endings.SIGINT ? leave() : own.exit(code);
    ending.abort();
  };
  own.on('SIGINT', () => ignoring > 0 || interrupted(endings.SIGINT));
  return {
    taken() {
      if (ending === undefined) {
        ending = new AbortController();
        own.on('SIGTERM', () => interrupted(endings.SIGTERM));
        own.on('SIGHUP', () => interrupted(endings.SIGHUP));
      }
      return ending.signal;
    },
    async ignoredDuring(work) {
      ignoring++;
      try {
        return await work;
      } finally {
        ignoring--;
      }
    },
  };
}
