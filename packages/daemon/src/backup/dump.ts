import type { Readable } from 'node:stream';
import { PassThrough } from 'node:stream';
import type { SignedManifest } from '@hortus/contract/resources/manifest';
import { guardedBy } from '@hortus/contract/runtime/guarded-by';
import type { ManifestAction } from '@hortus/contract/template/manifest';
import { checkParams, fillArguments } from '@hortus/template/inputs/action-params';
import { BoundedOutput } from '../actions/bounded-output.ts';
import { endInside } from '../actions/end-inside.ts';
import type { ContainerFacts } from '../engine/container-facts.ts';
import type { Engine, ExecHandle } from '../engine/engine.ts';

/** Bytes kept of a command's error output. */
const COMPLAINTS = 4_000;

export interface DumpRun {
  engine: Engine;
  action: ManifestAction;
  container: ContainerFacts;
  /** Marks the processes of the command, so that they can be found and killed. */
  mark: string;
  signal?: AbortSignal | undefined;
}

/** Returns the dump action of the manifest; undefined without one or if its output cannot be read. */
export function dumpActionOf({ backup, actions }: SignedManifest): ManifestAction | undefined {
  const action = actions.find(({ slug }) => slug === backup.dump_action);
  return action?.type === 'exec' ? action : undefined;
}

/** Runs the dump and streams its output to `use`. Rejects if the command fails. */
export async function dump<Result>(run: DumpRun, use: (output: Readable) => Promise<Result>): Promise<Result> {
  const { action } = run;
  const params = checkParams(action.params as Parameters<typeof checkParams>[0], {});
  const argv = fillArguments(action.command ?? [], params.ok ? params.values : {});
  const output = new PassThrough();
  const ended = carryOut(run, argv, undefined, output);
  const [end, used] = await Promise.allSettled([ended, use(output)]);
  if (end.status === 'rejected') throw end.reason;
  if (used.status === 'rejected') throw used.reason;
  return used.value;
}

/** Feeds a dump to the restore command. */
export async function feed(run: DumpRun, argv: readonly string[], content: Readable): Promise<void> {
  await carryOut(run, argv, content, undefined);
}

async function carryOut(
  { engine, action, container, mark, signal }: DumpRun,
  argv: readonly string[],
  stdin: Readable | undefined,
  output: PassThrough | undefined,
): Promise<void> {
  const complaints = new BoundedOutput(COMPLAINTS);
  let early = '';
  const exec = await engine.exec(container.id, {
    argv,
    env: { ...action.env, HORTUS_EXECUTION: mark },
    ...(action.user === undefined ? {} : { user: action.user }),
    ...(action.working_dir === undefined ? {} : { workingDir: action.working_dir }),
    ...(stdin === undefined ? {} : { stdin }),
  });
  const end = async (why: string) => {
    early ||= why;
    await endInside(engine, exec, container.id, `HORTUS_EXECUTION=${mark}`);
    exec.detach();
  };
  const detach = () => exec.detach();
  const late = () => end(`did not finish within ${action.timeout_ms / 1000} s`);
  const closed = () => output?.readableEnded || end('was killed, because its output could not be stored');
  const broken = (error: Error) => end(`was killed: ${error.message}`);
  const limit = setTimeout(guardedBy(detach, late), action.timeout_ms);
  const guardedAbort = guardedBy(detach, () => end('was killed'));
  signal?.addEventListener('abort', guardedAbort, { once: true });
  output?.once('close', guardedBy(detach, closed));
  stdin?.once('error', guardedBy(detach, broken));
  try {
    await collect(exec, output, complaints);
    const { exitCode } = await exec.inspect();
    const said = String(complaints).trim();
    const why = early || (exitCode === 0 ? '' : `exited with code ${exitCode}`);
    if (why !== '') throw new Error(`${argv[0]} ${why}${said === '' ? '' : `: ${said}`}.`);
    output?.end();
  } catch (error) {
    output?.destroy(error as Error);
    throw error;
  } finally {
    clearTimeout(limit);
    signal?.removeEventListener('abort', guardedAbort);
  }
}

/** Passes standard output on with backpressure; keeps the rest for the error message. */
async function collect(exec: ExecHandle, output: PassThrough | undefined, complaints: BoundedOutput): Promise<void> {
  for await (const { stream, chunk } of exec.output) {
    if (stream === 'stderr' || output === undefined) complaints.add(chunk);
    else if (!output.destroyed && !output.write(chunk)) await drained(output);
  }
}

function drained(output: PassThrough): Promise<void> {
  return new Promise((resolve, reject) => {
    const guardedGo = guardedBy(reject, () => {
      output.off('drain', guardedGo);
      output.off('close', guardedGo);
      resolve();
    });
    output.on('drain', guardedGo);
    output.on('close', guardedGo);
  });
}
