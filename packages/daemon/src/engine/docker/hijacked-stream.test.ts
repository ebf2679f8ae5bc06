import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '@hortus/testkit/until';
import { afterEach, expect, test } from 'vitest';
import { ignoreUnreadInput, received } from './hijacked-stream.ts';

const cleanup: (() => void)[] = [];
afterEach(() => {
  for (const step of cleanup.splice(0).reverse()) step();
});

/** Both ends of a connection to an engine. */
async function connection(): Promise<{ client: Socket; engine: Socket }> {
  const folder = mkdtempSync(join(tmpdir(), 'hijacked-'));
  cleanup.push(() => rmSync(folder, { recursive: true }));
  const server = createServer();
  server.listen(join(folder, 'socket'));
  cleanup.push(() => server.close());
  const accepted = once(server, 'connection');
  const client = connect(join(folder, 'socket'));
  client.on('error', () => undefined);
  const [engine] = (await accepted) as [Socket];
  engine.on('error', () => undefined);
  engine.pause();
  return { client, engine };
}

async function read(client: Socket): Promise<number> {
  let bytes = 0;
  for await (const piece of received(client)) bytes += piece.length;
  return bytes;
}

test('output is complete if the command exits without reading its input, however slowly the output is read', async () => {
  const { client, engine } = await connection();
  ignoreUnreadInput(client);
  // More than the buffers of the socket take.
  for (let i = 0; i < 100; i++) client.write(Buffer.alloc(32 * 1024));
  const output = 150 * 1024;
  engine.write(Buffer.alloc(output), () => engine.destroy());
  await once(engine, 'close');
  // Fails: the other end is gone.
  let failures = 0;
  client.write(Buffer.alloc(10), () => failures++);
  await until(() => failures === 1, { describe: 'the failed write' });
  expect(client.destroyed).toBe(false);
  expect(await read(client)).toBe(output);
});

test('a slow reader pauses the engine', async () => {
  const { client, engine } = await connection();
  const pieces = received(client);
  let taken = 0;
  for (let i = 0; i < 100; i++) engine.write(Buffer.alloc(64 * 1024), () => taken++);
  const { value } = await pieces.next();
  expect(value?.length).toBeGreaterThan(0);
  await until(() => client.isPaused(), { describe: 'the pause' });
  expect(taken).toBeLessThan(20);
  await pieces.return(undefined);
  client.destroy();
});

test('the end of a destroyed connection is not awaited', async () => {
  const { client } = await connection();
  const reading = read(client);
  client.destroy();
  expect(await reading).toBe(0);
  expect(await read(client)).toBe(0);
});
