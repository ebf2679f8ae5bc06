import { request } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

export type DockerResponse = { status: number; text: string };

/** Sends one Engine API request, so that tests can prepare and check an engine without the code under test. */
export function askDocker(
  socketPath: string,
  method: 'GET' | 'POST' | 'DELETE',
  path: string,
  body?: Buffer | Readable | object,
): Promise<DockerResponse> {
  const stream = body instanceof Readable ? body : undefined;
  const payload =
    body === undefined || stream ? undefined : Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body));
  const type = stream || Buffer.isBuffer(body) ? 'application/x-tar' : 'application/json';
  return new Promise((resolve, reject) => {
    const length = stream ? {} : { 'content-length': String(payload?.length ?? 0) };
    const headers = { host: 'docker', 'content-type': type, ...length };
    const outgoing = request({ socketPath, method, path, headers, agent: false, timeout: 60_000 });
    outgoing.on('error', reject);
    outgoing.on('timeout', () => outgoing.destroy(new Error(`${method} ${path}: no response`)));
    outgoing.on('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString('utf8') }),
      );
    });
    if (stream) pipeline(stream, outgoing).catch(reject);
    else outgoing.end(payload);
  });
}

/** Returns the response as JSON; throws for any status but 2xx. */
export async function readDocker<T>(socketPath: string, path: string): Promise<T> {
  const { status, text } = await askDocker(socketPath, 'GET', path);
  if (status >= 300) throw new Error(`GET ${path} returned status ${status}: ${text}`);
  return JSON.parse(text) as T;
}
