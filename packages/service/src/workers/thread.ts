import { readlinkSync } from 'node:fs';
import { setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import { invalid, Problem } from '../problem.ts';
import type { WorkerJob } from './job.ts';
import type { Order, Reply } from './protocol.ts';

const NICENESS = 3;

/** Makes this thread a worker of the pool (see pool.ts): runs one job after the other and replies with the result. */
export function serveJobs(jobs: readonly WorkerJob[]): void {
  const byName = new Map(jobs.map((job) => [job.name, job]));
  yieldToRequests();
  parentPort?.on('message', async (order: Order) => reply(await carryOut(byName, order)));
  reply({ ready: true });
}

type Outcome =
  | Omit<Extract<Reply, { value: unknown }>, 'cpuMs'>
  | { problem: Problem }
  | { error: Error }
  | { ready: true };

async function carryOut(jobs: ReadonlyMap<string, WorkerJob>, { name, args, field }: Order): Promise<Outcome> {
  try {
    const job = jobs.get(name);
    if (!job) throw new Error(`The worker has no job named ${name}.`);
    return { value: await job.run(...args) };
  } catch (error) {
    if (error instanceof Problem) return { problem: error };
    // Parsers and checks are recursive.
    if (error instanceof RangeError && /call stack/.test(error.message))
      return { problem: invalid(field, 'is nested too deeply.') };
    return { error: error as Error };
  }
}

function reply(outcome: Outcome): void {
  const { user, system } = process.threadCpuUsage();
  const cpuMs = (user + system) / 1_000;
  if ('problem' in outcome) {
    const { code, message, details } = outcome.problem;
    parentPort?.postMessage({ problem: { code, message, details }, cpuMs });
  } else parentPort?.postMessage({ ...outcome, cpuMs });
}

/**
 * Lowers the priority of the thread, so that the main thread can answer requests first. Only Linux has thread
 * priorities.
 */
function yieldToRequests(): void {
  try {
    setPriority(Number(readlinkSync('/proc/thread-self').split('/').at(-1)), NICENESS);
  } catch {
    // Without it the pool works too, at equal priority.
  }
}
