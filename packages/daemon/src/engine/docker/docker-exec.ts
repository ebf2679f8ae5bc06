import type { ExecCommand, ExecHandle } from '../engine.ts';
import { demultiplex } from './demultiplex.ts';
import type { DockerApi } from './docker-api.ts';
import { objectPath } from './object-path.ts';

interface ExecAnswer {
  Running: boolean;
  ExitCode: number | null;
  Pid?: number;
}

/** Runs a command in a running container: made, started with both streams attached, and asked for its end. */
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
      AttachStdout: true,
      AttachStderr: true,
      Tty: false,
    },
    timeout: api.timeouts.quick,
    signal,
  });
  const stream = await api.stream(
    {
      operation,
      method: 'POST',
      path: `/exec/${execId}/start`,
      body: { Detach: false, Tty: false },
      timeout: api.timeouts.heavy,
      signal,
    },
    { mayBeSilent: true },
  );
  return {
    id: execId,
    output: demultiplex(stream),
    inspect: async () => {
      const answer = await api.json<ExecAnswer>({
        operation: `read how the command in container ${id} ended`,
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
