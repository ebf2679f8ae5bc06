import { createServer } from 'node:net';
import { freePort } from '@hortus/testkit/port';
import { type TemporaryFolder, temporaryFolder } from '@hortus/testkit/temporary-folder';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { choosePorts, type TryPort, tryToListen } from './ports.ts';

let folder: TemporaryFolder;
beforeEach(() => {
  folder = temporaryFolder('ports');
});
afterEach(() => folder.remove());

const wish = { caddy: undefined, httpPort: undefined, httpsPort: undefined };
/** A machine on which only root may use ports below 1024, and these are in use. */
const unprivileged =
  (...used: number[]): TryPort =>
  async (port) =>
    port < 1024 ? 'EACCES' : used.includes(port) ? 'EADDRINUSE' : undefined;
const portsOf = async (tryPort: TryPort, overrides: Partial<typeof wish> & object = {}) => {
  const { httpPort, httpsPort } = await choosePorts({ ...wish, ...overrides }, folder.path, tryPort);
  return [httpPort, httpsPort];
};

test('a daemon that may use ports 80 and 443 does, also if its own Caddy has them already', async () => {
  expect(await portsOf(async () => undefined)).toEqual([80, 443]);
  expect(await portsOf(async () => 'EADDRINUSE')).toEqual([80, 443]);
});

test('a daemon that may not takes the first free high ports, and the same ones after a restart', async () => {
  expect(await portsOf(unprivileged(8080, 8081, 8443))).toEqual([8082, 8444]);
  expect(await portsOf(unprivileged(8082, 8444))).toEqual([8082, 8444]);
});

test('given ports are taken as they are', async () => {
  expect(await portsOf(unprivileged(), { httpPort: 80 } as never)).toEqual([80, 8443]);
  expect(await portsOf(unprivileged(9080), { httpPort: 9080, httpsPort: 9443 } as never)).toEqual([9080, 9443]);
});

test('a daemon that finds no free port says which options to give', async () => {
  const taken: TryPort = async (port) => (port < 1024 ? 'EACCES' : 'EADDRINUSE');
  await expect(portsOf(taken)).rejects.toThrow('Give --ingress-http and --ingress-https.');
});

test('trying a port tells a used one from a free one, and leaves it free', async () => {
  const port = await freePort();
  expect(await tryToListen(port)).toBeUndefined();
  const user = createServer();
  await new Promise<void>((done) => user.listen(port, done));
  expect(await tryToListen(port)).toBe('EADDRINUSE');
  await new Promise((done) => user.close(done));
});
