import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { paced, type Rate } from '../concurrency/token-bucket.ts';
import { openDockerEngine } from '../engine/docker/docker-engine.ts';
import type { Engine, ExecHandle } from '../engine/engine.ts';
import { isEngineProblem } from '../engine/engine-problem.ts';
import { type ActionOutcome, failure } from '../journal/action.ts';
import { BoundedOutput } from './bounded-output.ts';
import { endInside } from './end-inside.ts';
import { DONE, GO } from './exec-shim-words.ts';
import { type Order, writeBegun, writeResult } from './order.ts';

/**
 * Runs a shim: waits for an order, runs it, writes the result into the given directory and waits again. It has its own
 * session and ignores signals, so that neither the end of the daemon nor of a terminal ends it. When the daemon dies,
 * standard input closes: the shim finishes its current order and exits.
 */
export async function runShim(socket: string): Promise<void> {
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => undefined);
  // A cancellation may arrive when nothing is running any more.
  process.on('SIGUSR2', () => undefined);
  // A closed reader must not end the shim.
  process.stdout.on('error', () => undefined);
  const daemonGone = new AbortController();
  process.stdin.once('end', () => daemonGone.abort());
  const engine = openDockerEngine({ socketPath: socket });
  // Negotiate the API version in advance.
  await engine.info().catch(() => undefined);
  let flushed = Promise.resolve();
  for await (const line of createInterface({ input: process.stdin })) {
    if (!line.startsWith(GO)) continue;
    const { directory, order } = JSON.parse(line.slice(GO.length)) as { directory: string; order: Order };
    writeBegun(directory);
    const settle = writeResult(directory, await onItsNode(order, engine));
    process.stdout.write(`${DONE}\n`);
    const earlier = flushed;
    flushed = flushLater(settle, daemonGone.signal).then(() => earlier);
  }
  // The daemon is gone, so these files are the only trace of the results.
  await flushed;
  engine.close();
}

/** Time for the daemon to journal a result. */
const UNTIL_JOURNALLED = 100;

/**
 * Flushes a result unless the daemon journals it in time: a flush at once would delay that of the journal, for which the
 * service waits. Without a daemon it does not wait.
 */
async function flushLater(flush: () => void, daemonGone: AbortSignal): Promise<void> {
  await sleep(UNTIL_JOURNALLED, undefined, { signal: daemonGone }).catch(() => undefined);
  try {
    flush();
  } catch {
    // The shim may have its next order, and this result can still be read.
  }
}

async function onItsNode(order: Order, here: Engine): Promise<ActionOutcome> {
  if (order.socket === undefined) return await carryOut(order, here);
  const there = openDockerEngine({ socketPath: order.socket });
  try {
    return await carryOut(order, there);
  } finally {
    there.close();
  }
}

/** For the output of a command: only its beginning and end are kept, but it waits until the rest was read. */
const READING: Rate = { perSecond: 8 * 1024 ** 2, burst: 32 * 1024 ** 2 };
/** Time for the engine to notice the end of a process. */
const UNTIL_KNOWN = 5_000;

async function carryOut(order: Order, engine: Engine): Promise<ActionOutcome> {
  let exec: ExecHandle;
  try {
    exec = await engine.exec(order.container, {
      argv: order.argv,
      env: { ...order.env, HORTUS_EXECUTION: order.execution_id },
      ...(order.user === undefined ? {} : { user: order.user }),
      ...(order.working_dir === undefined ? {} : { workingDir: order.working_dir }),
    });
  } catch (error) {
    // An error response is definite; without a response the command may have been started.
    const refused = isEngineProblem(error) && error.status !== undefined;
    return failure((error as Error).message, refused ? 'known' : 'unknown');
  }
  const output = new BoundedOutput(order.output_limit);
  let early: { why: 'timeout' | 'cancelled'; gone: Promise<boolean> } | undefined;
  const end = (why: 'timeout' | 'cancelled') => {
    early ??= { why, gone: endNow(engine, exec, order) };
  };
  const limit = setTimeout(end, order.timeout_ms, 'timeout');
  const cancel = () => end('cancelled');
  process.on('SIGUSR2', cancel);
  let broken: unknown;
  try {
    for await (const { chunk } of paced(exec.output, READING)) output.add(chunk);
  } catch (error) {
    broken = error;
  }
  // A broken or closed stream says nothing about the command: follow it until it ends or times out.
  const code = await exitCode(exec, async () => (early ? early.gone.then(() => true) : false));
  clearTimeout(limit);
  process.off('SIGUSR2', cancel);
  return outcome({ order, output, code, ended: early?.why, broken });
}

/** Returns true if the engine confirms the end. */
async function endNow(engine: Engine, exec: ExecHandle, order: Order): Promise<boolean> {
  const mark = `HORTUS_EXECUTION=${order.execution_id}`;
  const gone = (await endInside(engine, exec, order.container, mark)) && (await isOver(exec, UNTIL_KNOWN));
  // Do not wait for other processes that keep the stream open.
  exec.detach();
  return gone;
}

async function exitCode(exec: ExecHandle, givenUp: () => Promise<boolean>): Promise<number | undefined> {
  for (let pause = 1; ; pause = Math.min(pause * 2, 500)) {
    // Ask first, so that the command is checked once more after the last attempt to end it.
    const last = await givenUp();
    const found = await exec.inspect().catch((error) => (isEngineProblem(error, 'not_found') ? 'lost' : undefined));
    // A restarted engine does not remember commands.
    if (found === 'lost') return undefined;
    if (found && !found.running) return found.exitCode;
    if (last) return undefined;
    await sleep(pause);
  }
}

async function isOver(exec: ExecHandle, within: number): Promise<boolean> {
  for (const deadline = performance.now() + within; performance.now() < deadline; ) {
    const found = await exec.inspect().catch(() => undefined);
    if (found && !found.running) return true;
    await sleep(20);
  }
  return false;
}

interface Facts {
  order: Order;
  output: BoundedOutput;
  code: number | undefined;
  ended: 'timeout' | 'cancelled' | undefined;
  broken: unknown;
}

function outcome({ order, output, code, ended, broken }: Facts): ActionOutcome {
  const common = { exit_code: code ?? null, output: String(output), output_truncated: output.truncated };
  const failed = (error: string, known: ActionOutcome['outcome']): ActionOutcome => ({
    status: 'failed',
    ...common,
    error,
    outcome: known,
  });
  if (ended) {
    const why =
      ended === 'timeout'
        ? `The command did not finish within ${order.timeout_ms / 1000} s`
        : 'The action was cancelled';
    const still = code !== undefined ? '' : '; it may still be running in the container';
    return failed(`${why}${still}.`, ended);
  }
  if (code === undefined) {
    const why = broken instanceof Error ? ` (${broken.message})` : '';
    return failed(`The engine lost track of the command${why}.`, 'unknown');
  }
  if (code !== 0) return failed(`The command exited with code ${code}.`, 'known');
  return {
    status: 'completed',
    ...common,
    output_truncated: output.truncated || broken !== undefined,
    outcome: 'known',
  };
}
