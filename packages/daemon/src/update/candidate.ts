import { guarded } from '../guard.ts';
import type { Log } from '../log.ts';
import type { FromCandidate, ToCandidate } from './trial-messages.ts';

/** Shows that this version works on this server, without changing anything on it. */
export interface Proof {
  /** Rejects with what does not work. */
  prove(step: (name: string) => void): Promise<void>;
  /** Releases the journal. Must not wait for the network. */
  close(): void;
}

export interface CandidateOptions {
  /** Opens the journal, so it is called only after the daemon has stopped. */
  readonly open: () => Promise<Proof>;
  /** Becomes the former version, if the daemon that tries this one was killed. */
  readonly becomeFormer: () => void;
  readonly log: Pick<Log, 'info' | 'error'>;
}

/**
 * Runs a new version on trial, as a child of the daemon. It never acts on the engine: the daemon that tries it decides which of
 * both goes on.
 */
export function runCandidate({ open, becomeFormer, log }: CandidateOptions): void {
  let proof: Proof | undefined;
  let begun = false;
  const say = (message: FromCandidate) => {
    // The daemon may have been killed; `disconnect` handles that.
    if (process.connected) process.send?.(message, () => undefined);
  };
  const begin = async () => {
    try {
      say({ type: 'step', name: 'open the journal' });
      proof = await open();
      await proof.prove((name) => say({ type: 'step', name }));
      log.info('the new version proved itself healthy');
      say({ type: 'proved' });
    } catch (error) {
      log.error({ err: error }, 'the new version is not healthy');
      say({ type: 'failed', message: (error as Error).message });
    }
  };
  const received = ({ type }: ToCandidate) => {
    if (type !== 'begin' || begun) return undefined;
    begun = true;
    return begin();
  };
  const abandoned = () => {
    log.error('the daemon that tried this version is gone');
    proof?.close();
    try {
      becomeFormer();
    } catch (error) {
      log.error({ err: error }, 'the former version could not be started');
    }
    process.exit(1);
  };
  const stop = () => {
    proof?.close();
    process.exit(0);
  };
  process.on('message', guarded(log, received));
  process.once('disconnect', guarded(log, abandoned));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, guarded(log, stop));
}
