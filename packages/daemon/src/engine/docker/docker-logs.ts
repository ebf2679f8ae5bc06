import { EngineProblem } from '../engine-problem.ts';
import type { Call } from './connection.ts';
import { demultiplex } from './demultiplex.ts';
import type { DockerApi } from './docker-api.ts';
import { objectPath } from './object-path.ts';

/** Bytes of the last lines that are kept: a container decides how long its lines are. */
const MAX_BYTES = 2 * 1024 * 1024;

export async function readLogs(api: DockerApi, id: string, tail: number): Promise<string> {
  const operation = `read the log of container ${id}`;
  const path = objectPath('containers', id, operation);
  const call = { operation, method: 'GET', timeout: api.timeouts.quick } as const;
  const facts = await api.json<{ Config: { Tty?: boolean } }>({ ...call, path: `${path}/json` });
  return await lastLines(api, { ...call, path: `${path}/logs` }, tail, facts.Config.Tty);
}

export async function readTaskLogs(api: DockerApi, id: string, tail: number): Promise<string> {
  const operation = `read the log of task ${id}`;
  const path = `${objectPath('tasks', id, operation)}/logs`;
  return await lastLines(api, { operation, method: 'GET', path, timeout: api.timeouts.quick }, tail);
}

/** Reads piece by piece, so that a long log neither fills the memory nor holds the event loop. */
async function lastLines(api: DockerApi, call: Call, tail: number, isTerminal = false): Promise<string> {
  const stream = await api.stream({ ...call, query: { stdout: 'true', stderr: 'true', tail: String(tail) } });
  try {
    // A terminal has a single stream without frames.
    return await endOf(isTerminal ? stream : contents(demultiplex(stream)));
  } catch (cause) {
    if (cause instanceof EngineProblem) throw cause;
    const detail = 'the engine broke the stream off';
    throw new EngineProblem({ operation: call.operation, kind: 'unreachable', detail, cause });
  } finally {
    stream.destroy();
  }
}

async function* contents(frames: AsyncIterable<{ chunk: Buffer }>): AsyncGenerator<Buffer> {
  for await (const { chunk } of frames) yield chunk;
}

/** Cuts only now and then, because each cut copies what is kept. */
async function endOf(chunks: AsyncIterable<Buffer>): Promise<string> {
  let kept: Buffer[] = [];
  let size = 0;
  const end = () => Buffer.concat(kept).subarray(-MAX_BYTES);
  for await (const chunk of chunks) {
    kept.push(chunk);
    size += chunk.length;
    if (size <= 2 * MAX_BYTES) continue;
    kept = [end()];
    size = MAX_BYTES;
  }
  return end().toString('utf8');
}
