// Restarts a program whenever it crashes, as systemd would.
import { setTimeout as sleep } from 'node:timers/promises';

const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 30_000;
/** A run of this length resets the pause. */
const WELL_MS = 60_000;

/** Exit codes that a restart cannot change: normal end, failed start, invalid settings. */
const finalCodes = [0, 1, 2];
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'];

/**
 * Resolves with the exit code of the final run: a normal end, a requested stop, or a failed start. After any other end it prints
 * the reason and restarts the program after a growing pause. A signal during a pause stops it.
 *
 * @param {() => Promise<{ code: number, signal: string | null, asked: boolean }>} run
 */
export async function keepRunning(run, { firstPauseMs = FIRST_PAUSE_MS, say = console.error } = {}) {
  let pause = firstPauseMs;
  for (;;) {
    const from = Date.now();
    const { code, signal, asked } = await run();
    if (asked || (signal === null && finalCodes.includes(code))) return code;
    if (Date.now() - from > WELL_MS) pause = firstPauseMs;
    const reason = signal === null ? `with code ${code}` : `by ${signal}`;
    say(`The service ended ${reason} and is started again in ${pause / 1000} s.`);
    if (await interrupted(pause)) return code;
    pause = Math.min(pause * 2, MAX_PAUSE_MS);
  }
}

async function interrupted(ms) {
  const interruption = new AbortController();
  const stop = () => interruption.abort();
  for (const signal of signals) process.on(signal, stop);
  await sleep(ms, undefined, { signal: interruption.signal }).catch(() => undefined);
  for (const signal of signals) process.off(signal, stop);
  return interruption.signal.aborted;
}
