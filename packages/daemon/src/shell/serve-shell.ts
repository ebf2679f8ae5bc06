import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FromShell, ShellOrder } from '@hortus/contract/protocol/shell';
import { endInside } from '../actions/end-inside.ts';
import { paced, type Rate } from '../concurrency/token-bucket.ts';
import type { ContainerFacts } from '../engine/container-facts.ts';
import type { AttachedExec, Engine, TerminalSize } from '../engine/engine.ts';
import { EngineProblem } from '../engine/engine-problem.ts';
import { guarded } from '../guard.ts';
import type { Log } from '../log.ts';
import { label } from '../plan/labels.ts';
import type { Policy } from '../policy/policy.ts';
import type { ServeStream, Stream } from '../streams/stream.ts';
import { findContainer, findShell } from './entered-container.ts';
import { ShellLink } from './shell-link.ts';

export interface ServeShellDeps {
  engine: Engine;
  policy: Pick<Policy, 'shell'>;
  log: Log;
}

/** Marks the processes of a session, so that they can be found and ended. */
const MARK = 'HORTUS_SHELL';
/** The engine may take a moment to notice the end of a command after the end of its output. */
const EXIT_WITHIN_MS = 10_000;
/** The terminal of a command that is being started cannot be resized yet. */
const RESIZE_ATTEMPTS = 10;
/** For the output of a shell: enough to copy a file. */
const READING: Rate = { perSecond: 16 * 1024 ** 2, burst: 64 * 1024 ** 2 };

type Refusal = Extract<FromShell, { type: 'error' }>;
const refusal = (code: Refusal['code'], reason: string, message: string): Refusal => ({
  type: 'error',
  code,
  reason,
  message,
});

/** Runs a command in a container of an instance, connected to a client of the service. */
export const serveShell =
  (deps: ServeShellDeps): ServeStream =>
  async (stream, { instance, requireSigned }) => {
    const link = new ShellLink(stream, requireSigned, deps.log);
    const order = await link.order();
    try {
      const found = await prepared(deps, instance, order);
      if ('type' in found) return link.notify(found);
      await runIn(deps, stream, link, order, found);
    } catch (error) {
      if (!(error instanceof EngineProblem)) throw error;
      link.notify(refusal('SERVER_ERROR', 'engine', error.message.slice(0, 1_000)));
    }
  };

interface Prepared {
  readonly container: ContainerFacts;
  readonly component: string;
  readonly argv: readonly string[];
}

/** Chooses container and command, or returns why there is none. */
async function prepared({ engine, policy }: ServeShellDeps, instance: string, order: ShellOrder) {
  if (!policy.shell)
    return refusal('FORBIDDEN', 'policy', 'The policy of this server forbids shells (shell: false in policy.yaml).');
  const container = await findContainer(engine, instance, order.component);
  if (!container) {
    const whose = order.component === undefined ? 'the instance' : `the component ${order.component}`;
    return refusal('VALIDATION_ERROR', 'not_running', `component: no container of ${whose} is running.`);
  }
  const shell = order.command === undefined ? await findShell(engine, container.id) : undefined;
  const argv = order.command ?? (shell === undefined ? undefined : [shell]);
  const component = container.labels[label.component] ?? '';
  if (argv === undefined)
    return refusal(
      'VALIDATION_ERROR',
      'no_shell',
      `command: the container of ${component} has no shell; give a command after --.`,
    );
  return { container, component, argv } satisfies Prepared;
}

async function runIn(
  { engine, log }: ServeShellDeps,
  stream: Stream,
  link: ShellLink,
  { tty, cols, rows, term }: ShellOrder,
  { container, component, argv }: Prepared,
): Promise<void> {
  const mark = randomBytes(12).toString('hex');
  const exec = await engine.attach(container.id, {
    argv,
    env: { [MARK]: mark, ...(tty && { TERM: term }) },
    ...(tty && { terminal: { cols, rows } }),
  });
  const detach = () => exec.detach();
  stream.signal.addEventListener('abort', guarded(log, detach), { once: true });
  if (stream.signal.aborted) detach();
  log.info({ container: container.name, component }, 'a shell was opened');
  let hasExited = false;
  try {
    link.notify({ type: 'started', component });
    const resize = tty ? resizing(exec, log) : () => {};
    resize({ cols, rows });
    link.connect({ input: exec.input, resize });
    for await (const output of paced(exec.output, READING, stream.signal)) {
      await link.output(output);
      if (stream.signal.aborted) return;
    }
    if (stream.signal.aborted) return;
    const code = await exitCode(exec);
    hasExited = true;
    link.notify({ type: 'exit', code });
  } catch (error) {
    // The connection to the engine was closed above because the client is gone.
    if (!stream.signal.aborted) throw error;
  } finally {
    detach();
    if (!hasExited && !(await endInside(engine, exec, container.id, `${MARK}=${mark}`)))
      log.warn({ container: container.name }, 'a command of a closed shell could not be ended');
    log.info({ container: container.name, component }, 'a shell was closed');
  }
}

/** Applies the latest size; sizes that a newer one has replaced are skipped. */
function resizing(exec: AttachedExec, log: Log): (size: TerminalSize) => void {
  let wanted: TerminalSize | undefined;
  let isBusy = false;
  const apply = async () => {
    isBusy = true;
    for (let failures = 0; wanted && failures < RESIZE_ATTEMPTS; ) {
      const size = wanted;
      try {
        await exec.resize(size);
        if (wanted === size) wanted = undefined;
        failures = 0;
      } catch {
        await sleep(20 * ++failures);
      }
    }
    isBusy = false;
  };
  const guardedApply = guarded(log, apply);
  return (size) => {
    wanted = size;
    if (!isBusy) guardedApply();
  };
}

async function exitCode(exec: AttachedExec): Promise<number> {
  for (const deadline = performance.now() + EXIT_WITHIN_MS; performance.now() < deadline; await sleep(20)) {
    const { running, exitCode: code } = await exec.inspect();
    if (!running && code !== undefined) return code & 255;
  }
  throw new EngineProblem({
    operation: 'read the exit code of the command',
    kind: 'timeout',
    detail: 'the engine still reports it as running',
  });
}
