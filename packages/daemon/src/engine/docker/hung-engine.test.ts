// Real engines do not hang, break off or speak old versions on demand, so these tests use scripted sockets.
import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { temporaryFolder } from '@hortus/testkit/temporary-folder';
import { afterEach, expect, test } from 'vitest';
import { EngineProblem } from '../engine-problem.ts';
import { openDockerEngine } from './docker-engine.ts';

const open: { server: Server; sockets: Set<Socket>; remove(): Promise<void> }[] = [];
afterEach(async () => {
  for (const { server, sockets, remove } of open.splice(0)) {
    for (const socket of sockets) socket.destroy();
    server.close();
    await remove();
  }
});

async function engineThat(responds: (socket: Socket, request: string) => void) {
  const folder = temporaryFolder('hung');
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('data', (data) => responds(socket, data.toString()));
  });
  const socketPath = join(folder.path, 's');
  server.listen(socketPath);
  await once(server, 'listening');
  open.push({ server, sockets, remove: folder.remove });
  return openDockerEngine({ socketPath, timeouts: { quick: 1_000, heavy: 1_000, silence: 1_000, stop: 1_000 } });
}

const reply = (body: string) => `HTTP/1.1 200 OK\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
const version = (api: string, min = '1.12') =>
  reply(JSON.stringify({ Version: 'x', ApiVersion: api, MinAPIVersion: min, Os: 'linux', Arch: 'amd64' }));
const onlyVersion = (socket: Socket, request: string) => {
  if (request.startsWith('GET /version')) socket.write(version('1.41'));
};

async function problem(work: Promise<unknown>): Promise<EngineProblem> {
  const error = await work.then(
    () => undefined,
    (reason) => reason,
  );
  expect(error).toBeInstanceOf(EngineProblem);
  return error as EngineProblem;
}

test('an engine that never responds fails in time with the name of the operation', async () => {
  const engine = await engineThat(() => {});
  const error = await problem(engine.inspect('blog'));
  expect(error.kind).toBe('timeout');
  expect(error.message).toBe('Could not read the version of the engine: the engine did not respond within 1000 ms');
});

test('each hanging call names itself', async () => {
  const engine = await engineThat(onlyVersion);
  const calls: [string, () => Promise<unknown>][] = [
    ['inspect container blog', () => engine.inspect('blog')],
    ['start container blog', () => engine.start('blog')],
    ['stop container blog', () => engine.stop('blog', 0)],
    ['list containers', () => engine.containers({ labels: {} })],
    ['pull image blog:1', () => engine.pull('blog:1', () => {})],
    ['wait for container blog to end', () => engine.wait('blog')],
    ['run true in container blog', () => engine.exec('blog', { argv: ['true'] })],
  ];
  const problems = await Promise.all(calls.map(([, call]) => problem(call())));
  for (const [index, [operation]] of calls.entries())
    expect(problems[index]).toMatchObject({ kind: 'timeout', operation });
});

test('a dripping response fails in time too', async () => {
  const drips: NodeJS.Timeout[] = [];
  const engine = await engineThat((socket, request) => {
    onlyVersion(socket, request);
    if (request.includes('/json')) {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n');
      drips.push(setInterval(() => socket.write(' '), 20));
    }
  });
  expect(await problem(engine.inspect('blog'))).toMatchObject({ kind: 'timeout' });
  for (const drip of drips) clearInterval(drip);
});

test('a truncated response is a failure', async () => {
  const engine = await engineThat((socket, request) => {
    onlyVersion(socket, request);
    if (request.includes('/json')) socket.end('HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n{"Id":');
  });
  expect(await problem(engine.inspect('blog'))).toMatchObject({ kind: 'unreachable' });
});

test('a missing engine is reported', async () => {
  const engine = openDockerEngine({ socketPath: '/nonexistent/docker.sock' });
  expect((await problem(engine.info())).message).toContain('the engine cannot be reached (ENOENT)');
});

test.each([
  ['1.24', '1.12', 'the oldest supported version is 1.41 (Docker 20.10)'],
  ['1.99', '1.60', 'it requires API 1.60 or later'],
])('an engine of API %s from %s is refused with the reason', async (newest, min, message) => {
  const engine = await engineThat((socket) => socket.write(version(newest, min)));
  expect((await problem(engine.inspect('x'))).message).toContain(message);
});

test('an older engine is used with its version, a newer one with ours', async () => {
  const asked: string[] = [];
  for (const api of ['1.43', '1.99']) {
    const engine = await engineThat((socket, request) => {
      if (request.startsWith('GET /version')) socket.write(version(api));
      else asked.push(request.split(' ')[1] ?? '');
    });
    await problem(engine.inspect('x'));
  }
  expect(asked).toEqual(['/v1.43/containers/x/json', '/v1.47/containers/x/json']);
});

test('a hundred containers that start together do not reach the engine all at once', async () => {
  let parallel = 0;
  let max = 0;
  const engine = await engineThat((socket, request) => {
    onlyVersion(socket, request);
    if (!request.includes('/start')) return;
    max = Math.max(max, ++parallel);
    setTimeout(() => {
      parallel--;
      socket.write(reply(''));
    }, 10);
  });
  await Promise.all(Array.from({ length: 100 }, (_, i) => engine.start(`c${i}`)));
  expect(max).toBe(8);
});
