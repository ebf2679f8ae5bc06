import { demultiplex } from './demultiplex.ts';
import type { DockerApi } from './docker-api.ts';
import { objectPath } from './object-path.ts';

export async function readLogs(api: DockerApi, id: string, tail: number): Promise<string> {
  const operation = `read the log of container ${id}`;
  const path = objectPath('containers', id, operation);
  const call = { operation, method: 'GET', timeout: api.timeouts.quick } as const;
  const query = { stdout: 'true', stderr: 'true', tail: String(tail) };
  const [facts, { body }] = await Promise.all([
    api.json<{ Config: { Tty?: boolean } }>({ ...call, path: `${path}/json` }),
    api.call({ ...call, path: `${path}/logs`, query }),
  ]);
  // A terminal has a single stream without frames.
  if (facts.Config.Tty) return body.toString('utf8');
  const chunks: Buffer[] = [];
  for await (const { chunk } of demultiplex(once(body))) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

async function* once(body: Buffer): AsyncGenerator<Buffer> {
  yield body;
}
