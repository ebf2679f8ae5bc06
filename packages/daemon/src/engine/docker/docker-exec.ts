import { type Duplex, pipeline } from 'node:stream';
import type { ExecCommand, ExecHandle } from '../engine.ts';
import { demultiplex } from './demultiplex.ts';
import type { DockerApi } from './docker-api.ts';
import { objectPath } from './object-path.ts';

interface ExecAnswer {
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
  const operation = `run ${command.argv[0] ?? 'a command'} in container ${id}`;
  const { Id: execId } = await api.json<{ Id: string }>({
    operation,
    method: 'POST',
    path: `${objectPath('containers', id, operation)}/exec`,
    body: {
      Cmd: command.argv,
      Env: Object.entries(command.env ?? {}).map(([key, value]) => `${key}=${value}`),
      User: command.user,
      WorkingDir: command.workingDir,
      AttachStdin: command.stdin !== undefined,
      AttachStdout: true,
      AttachStderr: true,
      Tty: false,
    },
    timeout: api.timeouts.quick,
    signal,
  });
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
    inspect: async () => {
      const answer = await api.json<ExecAnswer>({
        operation: `read the exit code of the command in container ${id}`,
        method: 'GET',
        path: `/exec/${execId}/json`,
        timeout: api.timeouts.quick,
      });
      return {
        running: answer.Running,
        exitCode: answer.Running ? undefined : (answer.ExitCode ?? undefined),
        pid: answer.Pid || undefined,
      };
    },
    detach: () => stream.destroy(),
  };
}
