import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { openDockerEngine } from '../engine/docker/docker-engine.ts';
import type { Engine, ExecHandle } from '../engine/engine.ts';
import { isEngineProblem } from '../engine/engine-problem.ts';
import { type ActionOutcome, failure } from './action.ts';
import { BoundedOutput } from './bounded-output.ts';
import { endInside } from './end-inside.ts';
import { DONE, GO } from './exec-shim-words.ts';
import { type Order, writeBegun, writeResult } from './order.ts';

/**
 * The life of a shim: it waits for its word, carries out the order in the directory it is told, leaves the result there
 * and waits again. It is in a session of its own and listens to nobody while it works, so that neither the end of the
 * daemon nor that of a terminal is its end. A daemon that dies closes standard input: then it finishes what it has begun,
 * begins nothing more, and ends.
 */
export async function runShim(socket: string): Promise<void> {
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => undefined);
  // Whoever cancels may do so a moment too late, when nothing is running any more.
  process.on('SIGUSR2', () => undefined);
  // A reader that is gone must not end the writer.
  process.stdout.on('error', () => undefined);
  const engine = openDockerEngine({ socketPath: socket });
  // Asked while waiting: which version both speak is settled before it matters.
  await engine.info().catch(() => undefined);
  for await (const line of createInterface({ input: process.stdin })) {
    if (!line.startsWith(GO)) continue;
    const { directory, order } = JSON.parse(line.slice(GO.length)) as { directory: string; order: Order };
    writeBegun(directory);
    const settle = writeResult(directory, await carryOut(order, engine));
    process.stdout.write(`${DONE}\n`);
    settle();
  }
  engine.close();
}

/** How long the engine may take to notice the end of a process. */
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
    // The engine's own refusal is certain; silence is not, for the command may have been started before it.
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
    for await (const { chunk } of exec.output) output.add(chunk);
  } catch (error) {
    broken = error;
  }
  // A stream that broke or was closed says nothing about the command: it is looked after until it ends or time is up.
  const code = await exitCode(exec, async () => (early ? early.gone.then(() => true) : false));
  clearTimeout(limit);
  process.off('SIGUSR2', cancel);
  return outcome({ order, output, code, ended: early?.why, broken });
}

/** True if the engine says that it is over. */
async function endNow(engine: Engine, exec: ExecHandle, order: Order): Promise<boolean> {
  const mark = `HORTUS_EXECUTION=${order.execution_id}`;
  const gone = (await endInside(engine, exec, order.container, mark)) && (await isOver(exec, UNTIL_KNOWN));
  // What still holds the stream open is not ours to wait for.
  exec.detach();
  return gone;
}

async function exitCode(exec: ExecHandle, givenUp: () => Promise<boolean>): Promise<number | undefined> {
  for (let pause = 1; ; pause = Math.min(pause * 2, 500)) {
    // Asked before looking, so that the look after the last attempt to end it is the last one.
    const last = await givenUp();
    const found = await exec.inspect().catch((error) => (isEngineProblem(error, 'not_found') ? 'lost' : undefined));
    // An engine that was started again remembers no commands.
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
    const why = ended === 'timeout' ? `It did not end within ${order.timeout_ms / 1000} s` : 'It was cancelled';
    const still = code !== undefined ? '' : '; it may still be running in the container';
    return failed(`${why}${still}.`, ended);
  }
  if (code === undefined) {
    const why = broken instanceof Error ? ` (${broken.message})` : '';
    return failed(`The engine lost track of the command${why}.`, 'unknown');
  }
  if (code !== 0) return failed(`The command ended with exit code ${code}.`, 'known');
  return {
    status: 'completed',
    ...common,
    output_truncated: output.truncated || broken !== undefined,
    outcome: 'known',
  };
}
