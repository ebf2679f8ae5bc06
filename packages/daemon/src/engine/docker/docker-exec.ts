import { randomBytes } from 'node:crypto';
import { type Duplex, pipeline } from 'node:stream';
import type { AttachedCommand, AttachedExec, ExecCommand, ExecHandle, ExecOutput } from '../engine.ts';
import { demultiplex } from './demultiplex.ts';
import type { DockerApi } from './docker-api.ts';
import { ignoreUnreadInput, received } from './hijacked-stream.ts';
import { objectPath } from './object-path.ts';

interface ExecResponse {
  Running: boolean;
  ExitCode: number | null;
  Pid?: number;
}

/** Runs a command in a running container with both streams attached. */
export async function dockerExec(
  api: DockerApi,
  id: string,
  command: ExecCommand,
  signal: AbortSignal | undefined,
): Promise<ExecHandle> {
  const operation = operationOf(command.argv, id);
  const execId = await createExec(api, id, { ...command, hasInput: command.stdin !== undefined, tty: false }, signal);
  const start = {
    operation,
    method: 'POST',
    path: `/exec/${execId}/start`,
    body: { Detach: false, Tty: false },
    timeout: api.timeouts.heavy,
    signal,
  } as const;
  const stream = command.stdin ? await api.talk(start) : await api.stream(start, { mayBeSilent: true });
  // A command that exits before reading all input reports that by its exit code, not by a broken pipe.
  if (command.stdin) pipeline(command.stdin, stream as Duplex, () => undefined);
  return {
    id: execId,
    output: demultiplex(stream),
    inspect: () => inspectExec(api, id, execId),
    detach: () => stream.destroy(),
  };
}

/**
 * Keys that detach from a terminal. The engine looks for them in all input and cannot be told not to; by default they are
 * Ctrl-P Ctrl-Q, which a paste may contain. These start with two control characters that are hardly ever typed, and end with
 * random ones, so they are never found.
 */
const detachKeys = () => ['ctrl-^', 'ctrl-_', ...randomBytes(12).toString('hex')].join(',');

/** The same with open input, and with a terminal if its size is given. */
export async function attachExec(
  api: DockerApi,
  id: string,
  { argv, env, terminal }: AttachedCommand,
): Promise<AttachedExec> {
  const operation = operationOf(argv, id);
  const tty = terminal !== undefined;
  const execId = await createExec(api, id, { argv, env, hasInput: true, tty }, undefined);
  const stream = await api.talk({
    operation,
    method: 'POST',
    path: `/exec/${execId}/start`,
    body: { Detach: false, Tty: tty, ...(terminal && { ConsoleSize: [terminal.rows, terminal.cols] }) },
    timeout: api.timeouts.heavy,
  });
  ignoreUnreadInput(stream);
  // The reader of the output sees it.
  stream.on('error', () => undefined);
  return {
    id: execId,
    input: stream,
    // A terminal has one stream, which the engine sends as it is.
    output: tty ? whole(received(stream)) : demultiplex(received(stream)),
    inspect: () => inspectExec(api, id, execId),
    resize: async ({ cols, rows }) => {
      await api.call({
        operation: `resize the terminal in container ${id}`,
        method: 'POST',
        path: `/exec/${execId}/resize`,
        query: { w: String(cols), h: String(rows) },
        timeout: api.timeouts.quick,
      });
    },
    detach: () => stream.destroy(),
  };
}

async function* whole(source: AsyncIterable<Buffer>): AsyncGenerator<ExecOutput> {
  for await (const chunk of source) yield { stream: 'stdout', chunk };
}

const operationOf = (argv: readonly string[], id: string) => `run ${argv[0] ?? 'a command'} in container ${id}`;

interface NewExec extends Omit<ExecCommand, 'stdin'> {
  hasInput: boolean;
  tty: boolean;
}

async function createExec(
  api: DockerApi,
  id: string,
  { argv, env = {}, user, workingDir, hasInput, tty }: NewExec,
  signal: AbortSignal | undefined,
): Promise<string> {
  const operation = operationOf(argv, id);
  const { Id } = await api.json<{ Id: string }>({
    operation,
    method: 'POST',
    path: `${objectPath('containers', id, operation)}/exec`,
    body: {
      Cmd: argv,
      Env: Object.entries(env).map(([key, value]) => `${key}=${value}`),
      User: user,
      WorkingDir: workingDir,
      AttachStdin: hasInput,
      AttachStdout: true,
      AttachStderr: true,
      Tty: tty,
      ...(tty && { DetachKeys: detachKeys() }),
    },
    timeout: api.timeouts.quick,
    signal,
  });
  return Id;
}

async function inspectExec(api: DockerApi, id: string, execId: string): ReturnType<ExecHandle['inspect']> {
  const { Running, ExitCode, Pid } = await api.json<ExecResponse>({
    operation: `read the exit code of the command in container ${id}`,
    method: 'GET',
    path: `/exec/${execId}/json`,
    timeout: api.timeouts.quick,
  });
  return { running: Running, exitCode: Running ? undefined : (ExitCode ?? undefined), pid: Pid || undefined };
}
