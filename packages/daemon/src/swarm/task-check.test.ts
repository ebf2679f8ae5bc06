import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { ManifestHealthcheck } from '@hortus/contract/template/manifest';
import { busyboxPath } from '@hortus/testkit/images';
import { type TemporaryFolder, temporaryFolder } from '@hortus/testkit/temporary-folder';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { taskCheck } from './task-check.ts';

const times = { interval_ms: 1_000, timeout_ms: 1_000, start_period_ms: 0, retries: 3 };
const http = (overrides: Partial<NonNullable<ManifestHealthcheck['http']>>): ManifestHealthcheck => ({
  http: { port, path: '/', scheme: 'http', headers: {}, ...overrides },
  ...times,
});

let folder: TemporaryFolder;
let port: number;
const server = createServer((request, response) => {
  const status = Number(/^\/status\/(\d+)/.exec(request.url ?? '')?.[1] ?? 200);
  const isKnown = request.headers['x-probe'] === 'a "quoted" $(value)';
  response.writeHead(request.url === '/header' && !isKnown ? 403 : status, { location: '/' }).end();
});

/** Search paths in which a container would find only one of the programs. */
const paths: Record<string, string> = {};
beforeAll(async () => {
  await new Promise<void>((done) => server.listen(0, '0.0.0.0', done));
  port = (server.address() as AddressInfo).port;
  folder = temporaryFolder('check');
  const programs = { curl: '/usr/bin/curl', wget: busyboxPath(), bash: '/bin/bash', none: undefined };
  for (const [name, program] of Object.entries(programs)) {
    const place = join(folder.path, name);
    mkdirSync(place);
    if (program !== undefined) symlinkSync(program, join(place, name));
    paths[name] = place;
  }
});
afterAll(async () => {
  server.close();
  await folder.remove();
});

async function passes(check: ManifestHealthcheck, program: string): Promise<boolean> {
  const [shell = '', ...args] = taskCheck(check).argv;
  const env = { PATH: paths[program] ?? '' };
  return await promisify(execFile)(shell, args, { env }).then(
    () => true,
    () => false,
  );
}

const installed = readdirSync('/usr/bin').includes('curl') ? ['curl', 'wget', 'bash'] : ['wget', 'bash'];

describe.each(installed)('an HTTP check with %s', (program) => {
  it('accepts any 2xx and 3xx, or exactly the expected status', async () => {
    expect(await passes(http({ path: '/status/204' }), program)).toBe(true);
    expect(await passes(http({ path: '/status/302' }), program)).toBe(true);
    expect(await passes(http({ path: '/status/404' }), program)).toBe(false);
    expect(await passes(http({ path: '/status/500' }), program)).toBe(false);
    expect(await passes(http({ path: '/status/401', expect: 401 }), program)).toBe(true);
    expect(await passes(http({ path: '/status/200', expect: 401 }), program)).toBe(false);
  });

  it('sends headers as they are, and runs no value as a command', async () => {
    const headers = { 'x-probe': 'a "quoted" $(value)' };
    expect(await passes(http({ path: '/header', headers }), program)).toBe(true);
    expect(await passes(http({ path: '/header' }), program)).toBe(false);
    expect(await passes(http({ path: '/status/404?`true`;true||$(true)' }), program)).toBe(false);
  });

  it('fails if nothing listens', async () => {
    expect(await passes(http({ port: 1 }), program)).toBe(false);
  });
});

describe('a check without any program', () => {
  it('finds a listening port with the shell alone', async () => {
    expect(await passes({ tcp: { port }, ...times }, 'none')).toBe(true);
    expect(await passes({ tcp: { port: 1 }, ...times }, 'none')).toBe(false);
    expect(await passes(http({}), 'none')).toBe(true);
    expect(await passes(http({ port: 1 }), 'none')).toBe(false);
  });
});

it('a long interval is shortened with the same timeout', () => {
  const long = taskCheck({ test: ['true'], ...times, interval_ms: 30_000, retries: 2 });
  expect(long).toMatchObject({ argv: ['true'], intervalMs: 5_000, retries: 12 });
  expect(taskCheck({ test: ['true'], ...times })).toMatchObject({ intervalMs: 1_000, retries: 3 });
});
