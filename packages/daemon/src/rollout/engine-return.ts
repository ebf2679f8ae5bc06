import { setTimeout as sleep } from 'node:timers/promises';
import type { Engine } from '../engine/engine.ts';
import { EngineProblem } from '../engine/engine-problem.ts';

export interface Patience {
  withinMs: number;
  /** Told at the beginning, and then so often. */
  everyMs: number;
  say(message: string): void;
  signal: AbortSignal;
}

const LOOK_EVERY_MS = 250;

/**
 * Whether the engine, whose silence a failure tells of, answers again; waits for that. A call that came to nothing while the
 * engine answers others was not its absence.
 */
export async function engineReturned(
  error: unknown,
  engine: Pick<Engine, 'info'>,
  patience: Patience,
): Promise<boolean> {
  const problem = engineProblemIn(error);
  if (problem?.kind !== 'unreachable' && problem?.kind !== 'timeout') return false;
  const { withinMs, everyMs, say, signal } = patience;
  // Said before it is asked, which takes its time with one that hangs: the rollout is not to be given up meanwhile.
  say(`${problem.message}; asking whether the engine is there`);
  if (await answers(engine)) {
    if (problem.kind === 'timeout') return false;
    say('The engine is back; going on');
    return true;
  }
  const begun = performance.now();
  const waited = () => `${((performance.now() - begun) / 1_000).toFixed(1)} s`;
  say('The engine does not answer; waiting until it is back');
  for (let said = begun; performance.now() - begun < withinMs; ) {
    await sleep(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return false;
    if (await answers(engine)) {
      say(`The engine is back after ${waited()}; going on`);
      return true;
    }
    if (performance.now() - said < everyMs) continue;
    said = performance.now();
    say(`The engine has not answered for ${waited()}`);
  }
  return false;
}

const answers = (engine: Pick<Engine, 'info'>): Promise<boolean> =>
  engine.info().then(
    () => true,
    () => false,
  );

/** The problem with the engine that lies at the bottom of a failure, if one does. */
export function engineProblemIn(error: unknown): EngineProblem | undefined {
  if (error instanceof EngineProblem) return error;
  return error instanceof Error && error.cause !== undefined ? engineProblemIn(error.cause) : undefined;
}
