import { setTimeout as sleep } from 'node:timers/promises';
import type { Engine } from '../engine/engine.ts';
import { EngineProblem } from '../engine/engine-problem.ts';

export interface WaitLimits {
  withinMs: number;
  /** Interval of messages while waiting. */
  everyMs: number;
  say(message: string): void;
  signal: AbortSignal;
}

const POLL_EVERY_MS = 250;

/**
 * Waits for an unreachable engine and answers whether it responds again. False at once for a call that timed out while
 * the engine responds to others.
 */
export async function engineReturned(
  error: unknown,
  engine: Pick<Engine, 'info'>,
  waitLimits: WaitLimits,
): Promise<boolean> {
  const problem = engineProblemIn(error);
  if (problem?.kind !== 'unreachable' && problem?.kind !== 'timeout') return false;
  const { withinMs, everyMs, say, signal } = waitLimits;
  // Report first: asking a hanging engine takes time, and the service must see progress meanwhile.
  say(`${problem.message}; checking whether the engine responds`);
  if (await responds(engine)) {
    if (problem.kind === 'timeout') return false;
    say('The engine responds again; continuing');
    return true;
  }
  const begun = performance.now();
  const waited = () => `${((performance.now() - begun) / 1_000).toFixed(1)} s`;
  say('The engine does not respond; waiting for it');
  for (let said = begun; performance.now() - begun < withinMs; ) {
    await sleep(POLL_EVERY_MS, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return false;
    if (await responds(engine)) {
      say(`The engine responds again after ${waited()}; continuing`);
      return true;
    }
    if (performance.now() - said < everyMs) continue;
    said = performance.now();
    say(`The engine has not responded for ${waited()}`);
  }
  return false;
}

const responds = (engine: Pick<Engine, 'info'>): Promise<boolean> =>
  engine.info().then(
    () => true,
    () => false,
  );

/** Finds the engine problem in the cause chain of an error. */
function engineProblemIn(error: unknown): EngineProblem | undefined {
  if (error instanceof EngineProblem) return error;
  return error instanceof Error && error.cause !== undefined ? engineProblemIn(error.cause) : undefined;
}
