import { createHmac, randomBytes } from 'node:crypto';
import type { Readable, Writable } from 'node:stream';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { buildServer, type McpOptions } from './server.ts';

/** Serves one client over two streams until it closes its end. */
export async function serveOverStdio(
  options: Omit<McpOptions, 'seal'>,
  input: Readable,
  output: Writable,
): Promise<void> {
  const key = randomBytes(32);
  // One process serves one client, so that a key of its own is enough.
  const seal = async (text: string) => createHmac('sha256', key).update(text).digest('hex');
  const transport = new StdioServerTransport(input, output);
  const ended = new Promise<void>((resolve) => {
    input.once('end', resolve);
    input.once('close', resolve);
  });
  const handle = serveStdio(() => buildServer({ ...options, seal }), {
    transport,
    ...(options.onError && { onerror: options.onError }),
    maxSubscriptions: 1,
  });
  await ended;
  await handle.close();
}
