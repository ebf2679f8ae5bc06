import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync, rmSync } from 'node:fs';
import { createConnection, createServer, type ListenOptions, type Socket } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { busySeconds } from './busy.ts';
import { pause } from './service-with-engine.ts';

interface Copied {
  readonly took: number;
  readonly busy: number;
}

/** Copies a folder into another one by tar to tar over a bare socket. */
export async function bareTar(folder: string, target: string): Promise<Copied> {
  mkdirSync(target);
  const [sending, receiving] = await connectedPair({ port: 0, host: '127.0.0.1' });
  execFileSync('sync');
  const measured = startMeasuring();
  const unpacking = spawn('tar', ['-xf', '-', '-C', target], { stdio: [receiving, 'ignore', 'inherit'] });
  await pack(folder, sending);
  await succeeded(unpacking);
  const copied = measured();
  receiving.destroy();
  rmSync(target, { recursive: true });
  return copied;
}

/**
 * Copies the tar archive of a folder into a file through three Node processes that only pipe: the hops of a transfer
 * (daemon, service, daemon) without chunks, names, checks or tickets.
 */
export async function tarThroughNode(folder: string, scratch: string): Promise<Copied> {
  const loopback = { port: 0, host: '127.0.0.1' };
  const path = join(scratch, 'tar.sock');
  const pairs = [await connectedPair({ path }), await connectedPair(loopback), await connectedPair(loopback)];
  const file = join(scratch, 'archive.tar');
  const opened = openSync(file, 'w');
  const program = fileURLToPath(new URL('pipe-hop.ts', import.meta.url));
  const hops = pairs.map(([, input], i) =>
    spawn(process.execPath, [program], { stdio: [input, pairs[i + 1]?.[0] ?? opened, 'inherit'] }),
  );
  const ended = hops.map(succeeded);
  for (const [sending, receiving] of pairs) {
    receiving.destroy();
    if (sending !== pairs[0]?.[0]) sending.destroy();
  }
  closeSync(opened);
  // Starting Node is not a part of the copy.
  await pause(1_000);
  execFileSync('sync');
  const measured = startMeasuring();
  await pack(folder, pairs[0]?.[0] as Socket);
  await Promise.all(ended);
  const copied = measured();
  rmSync(file);
  return copied;
}

async function pack(folder: string, to: Socket): Promise<void> {
  const packing = spawn('tar', ['-cf', '-', '-b', '128', '-C', folder, '.'], { stdio: ['ignore', to, 'inherit'] });
  await succeeded(packing);
  to.destroy();
}

async function succeeded(child: ReturnType<typeof spawn>): Promise<void> {
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`${child.spawnfile} ended with ${code}.`);
}

function startMeasuring(): () => Copied {
  const busyBefore = busySeconds([process.pid]);
  const began = performance.now();
  return () => ({ took: performance.now() - began, busy: busySeconds([process.pid]) - busyBefore });
}

/** Both ends of a connection, paused, so that child processes can own them. */
async function connectedPair(at: ListenOptions): Promise<[sending: Socket, receiving: Socket]> {
  const server = createServer({ pauseOnConnect: true }).listen(at);
  await once(server, 'listening');
  const address = server.address();
  const accepted = once(server, 'connection');
  const sending = (
    typeof address === 'string' ? createConnection(address) : createConnection(address?.port ?? 0, '127.0.0.1')
  ).pause();
  await once(sending, 'connect');
  const [receiving] = (await accepted) as [Socket];
  server.close();
  return [sending, receiving];
}
