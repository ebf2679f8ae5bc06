import { request } from 'node:http';

export type DockerAnswer = { status: number; text: string };

/** One call of the Engine API, for tests to look at and prepare an engine without the code under test. */
export function askDocker(
  socketPath: string,
  method: 'GET' | 'POST' | 'DELETE',
  path: string,
  body?: Buffer | object,
): Promise<DockerAnswer> {
  const payload = body === undefined ? undefined : Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body));
  const type = Buffer.isBuffer(body) ? 'application/x-tar' : 'application/json';
  return new Promise((resolve, reject) => {
    const headers = { host: 'docker', 'content-type': type, 'content-length': String(payload?.length ?? 0) };
    const outgoing = request({ socketPath, method, path, headers, agent: false, timeout: 60_000 });
    outgoing.on('error', reject);
    outgoing.on('timeout', () => outgoing.destroy(new Error(`${method} ${path}: no answer`)));
    outgoing.on('response', (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('error', reject);
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text: Buffer.concat(chunks).toString('utf8') }));
    });
    outgoing.end(payload);
  });
}

/** The answer as JSON; any status but 2xx is a failure. */
export async function readDocker<T>(socketPath: string, path: string): Promise<T> {
  const { status, text } = await askDocker(socketPath, 'GET', path);
  if (status >= 300) throw new Error(`GET ${path} answered ${status}: ${text}`);
  return JSON.parse(text) as T;
}
