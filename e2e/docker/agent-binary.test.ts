import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createWriteStream, mkdirSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createClient } from '@hortus/client/client';
import { temporaryFolder } from '@hortus/testkit/temporary-folder';
import { expect, test } from 'vitest';
import { buildAgent } from '../../scripts/agent/build.ts';
import type { Arch } from '../../scripts/agent/stripped-node.ts';
import { act, createAndDeploy, ended, openInstallation } from './installation.ts';

const arch: Arch = process.arch === 'arm64' ? 'arm64' : 'amd64';

test('the downloaded binary deploys and runs actions without Node', { timeout: 240_000 }, async () => {
  await using folder = temporaryFolder('agent');
  const agents = join(folder.path, 'agents');
  const built = join(agents, `hortusd-linux-${arch}`);
  await buildAgent({ arch, output: built });
  await using installation = await openInstallation({ env: { HORTUS_AGENTS_DIR: agents } });

  // Downloads with the key of a new server in two parts, as after a broken connection.
  const server = createClient({ baseUrl: installation.service.base, key: installation.serverKey });
  const params = { os_type: 'linux', arch };
  const { data: about } = await server.call('implant.read', { params });
  expect(about).toMatchObject({ os: 'linux', arch, version: '0.1.0', size: statSync(built).size });
  const binary = join(folder.path, 'hortusd');
  const half = Math.floor(about.size / 2);
  for (const range of [`bytes=0-${half - 1}`, `bytes=${half}-`]) {
    const { body, status } = await server.download('implant.download', { params, range });
    expect(status).toBe(206);
    await pipeline(Readable.fromWeb(body as never), createWriteStream(binary, { flags: 'a', mode: 0o755 }));
  }
  expect(
    createHash('sha256')
      .update(await readFile(binary))
      .digest('hex'),
  ).toBe(about.sha256);

  // Gets only the engine's socket: no Node, no PATH, no environment of this process.
  const nowhere = join(folder.path, 'empty');
  mkdirSync(nowhere);
  const alone = ['/usr/bin/env', '-i', `PATH=${nowhere}`, binary] as const;
  const run = (...args: string[]) => execFileSync(alone[0], [...alone.slice(1), ...args], { encoding: 'utf8' });
  expect(run('version')).toBe('0.1.0\n');
  expect(run('policy')).toContain('privileged: false');

  installation.startDaemon({ command: alone });
  await installation.online();
  const { instanceId } = await createAndDeploy(installation, 'from-binary');
  // An action runs under the shim, which is the same binary.
  expect(await ended(installation, await act(installation, instanceId, 'note', { line: 'hello' }))).toMatchObject({
    status: 'completed',
    output: 'wrote hello\n',
  });
});
