import type { Changes } from '@hortus/client/changes';
import { ApiProblem } from '@hortus/client/problem';
import { Failure } from '../failure.ts';
import type { World } from '../world/world.ts';

export interface WaitOptions {
  /** Milliseconds; undefined waits without limit. */
  readonly timeout?: number | undefined;
  /** Message after the timeout. */
  readonly unfinished: string;
}

/** Tolerated outage of the service, such as a restart; the server keeps working meanwhile. */
const silenceAllowed = 60_000;

/** Polling intervals, growing because a plan may allow only one request per second. */
const pauseAt = (passed: number): number => (passed < 10_000 ? 400 : passed < 60_000 ? 1000 : 2500);

/** Interval for a record whose end is an event: reading it again only guards against an event that was missed. */
export const SAFETY_MS = 10_000;

/** Tells that there is something new to read, so that polling can be rare. */
export interface Announced {
  readonly changes: Changes;
  /** Interval of polling while changes are announced, for what no event announces. */
  readonly everyMs: number;
}

/** Polls until an answer is final; tolerates short outages of the service. */
export async function* poll<Result>(
  world: World,
  waitOptions: WaitOptions,
  ask: () => Promise<Result>,
  isLast: (reply: Result) => boolean,
  announced?: Announced,
): AsyncGenerator<Result> {
  const start = world.now();
  let received = start;
  let silent = false;
  for (;;) {
    try {
      const reply = await ask();
      if (silent) world.terminal.note('The service answers again.\n');
      received = world.now();
      silent = false;
      yield reply;
      if (isLast(reply)) return;
    } catch (error) {
      if (!isPassing(error) || world.now() - received > silenceAllowed) throw error;
      if (!silent) world.terminal.note('The service does not answer; retrying.\n');
      silent = true;
    }
    const passed = world.now() - start;
    if (waitOptions.timeout !== undefined && passed >= waitOptions.timeout)
      throw new Failure('unfinished', waitOptions.unfinished);
    const wanted = announced?.changes.isLive ? announced.everyMs : pauseAt(passed);
    const ms = Math.min(wanted, (waitOptions.timeout ?? Number.POSITIVE_INFINITY) - passed);
    if (announced) await announced.changes.next((over) => world.pause(ms, over));
    else await world.pause(ms);
  }
}

/** Reads once; tolerates short outages of the service. */
export async function patiently<Result>(world: World, ask: () => Promise<Result>): Promise<Result> {
  const replies = poll(world, { unfinished: '' }, ask, () => true);
  return (await replies.next()).value as Result;
}

const isPassing = (error: unknown): boolean =>
  error instanceof ApiProblem && (error.code === 'NETWORK' || error.status >= 500 || error.status === 429);
