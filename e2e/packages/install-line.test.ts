import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { installLine } from '@hortus/client/install-line';
import { agentFileName } from '@hortus/contract/releases/agent-file';
import { startDebianMachine } from '@hortus/testkit/debian-machine';
import { DEBIAN_ROOT_MS, debianRoot } from '@hortus/testkit/debian-root';
import { sharedDocker } from '@hortus/testkit/docker';
import { temporaryFolder } from '@hortus/testkit/temporary-folder';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildAgent } from '../../scripts/agent/build.ts';
import type { Arch } from '../../scripts/agent/stripped-node.ts';
import { type ServiceProcess, startService } from '../service-process.ts';

const arch: Arch = process.arch === 'arm64' ? 'arm64' : 'amd64';
const folder = temporaryFolder('install-line');
const binary = join(folder.path, agentFileName({ os: 'linux', arch }));
const socketPath = sharedDocker();
let service: ServiceProcess;

beforeAll(async () => {
  await debianRoot(socketPath);
  await buildAgent({ arch, output: binary });
  service = await startService({ directory: join(folder.path, 'data'), env: { HORTUS_AGENTS_DIR: folder.path } });
}, DEBIAN_ROOT_MS);
afterAll(async () => {
  await service?.process.stop();
  await folder.remove();
});

/** Registers a server and returns its line as the console and the command line build it. */
async function newLine(name: string) {
  const { data: server } = await service.client.call('servers.register', { body: { name, environment: 'staging' } });
  const { data } = await service.client.call('implant.read', { params: { os_type: 'linux', arch } });
  return { server, line: installLine(service.root, server, { [arch]: data.sha256 }) };
}

const openMachine = () => startDebianMachine({ socketPath, network: 'host' });

test.each(['curl', 'wget'])('with %s alone, the line installs the daemon', async (program) => {
  await using machine = await openMachine();
  await machine.must(`rm /usr/bin/${program === 'curl' ? 'wget' : 'curl'}`);
  const { server, line } = await newLine(`by-${program}`);
  const { code, stdout, stderr } = await machine.run(line);
  expect(stderr).not.toContain('hortus:');
  expect(code).toBe(0);
  expect(stdout).toContain('Wrote /etc/systemd/system/hortusd.service');
  expect(stdout).toContain('systemd does not run here');
  expect(`${stdout}${stderr}`).not.toContain(server.api_key);
  expect(await machine.must('hortusd version')).toMatch(/^\d+\.\d+\.\d+\n$/);
  expect(await machine.must('stat -c %a /etc/hortusd/hortusd.env; ls /tmp')).toBe('600\n');
  expect(await machine.must('cat /etc/hortusd/hortusd.env')).toContain(server.id);
});

test('a line without a way to download says so', async () => {
  await using machine = await openMachine();
  await machine.must('rm /usr/bin/curl /usr/bin/wget');
  const { line } = await newLine('no-download');
  expect(await machine.run(line)).toMatchObject({ code: 1, stderr: 'hortus: Install curl or wget first.\n' });
});

test('a line with a revoked key or for another processor installs nothing and says why', async () => {
  await using machine = await openMachine();
  const { server, line } = await newLine('revoked');
  await service.client.call('servers.delete', { params: { id: server.id } });
  const refused = await machine.run(line);
  expect(refused.code).toBe(1);
  expect(refused.stderr).toMatch(/hortus: The download of http:\S+ failed; nothing was installed\.\n$/);
  const other = installLine(service.root, (await newLine('other')).server, {});
  expect((await machine.run(other)).stderr).toContain(`hortus: The service has no daemon for ${arch}.`);
  expect(await machine.must('ls /usr/local/bin /tmp; ls -d /etc/hortusd || true')).toBe('/tmp:\n\n/usr/local/bin:\n');
});

test('a missing library is named before anything is installed', async () => {
  await using machine = await openMachine();
  await machine.must('rm /usr/lib/*/libatomic.so.1*');
  const { line } = await newLine('no-library');
  const { code, stderr } = await machine.run(line);
  expect(code).toBe(1);
  expect(stderr).toContain('libatomic.so.1: cannot open shared object file');
  expect(stderr).toContain('hortus: The daemon cannot run on this machine.');
  expect(await machine.must('ls /usr/local/bin')).toBe('');
});

test('without root and sudo, the line asks for root', async () => {
  await using machine = await openMachine();
  const { line } = await newLine('without-root');
  const { code, stderr } = await machine.run(
    `cd /tmp; setpriv --reuid 1000 --regid 1000 --clear-groups sh -c "$LINE"`,
    {
      LINE: line,
    },
  );
  expect([code, stderr]).toEqual([1, 'hortus: Run this line as root, because sudo is not installed.\n']);
});

test('a changed byte is refused, and nothing of the download is run', async () => {
  await using machine = await openMachine();
  const { line } = await newLine('changed');
  // A program that would leave a trace if it were run.
  await writeFile(`${binary}.changed`, '#!/bin/sh\ntouch /was-run\n');
  await rename(`${binary}.changed`, binary);
  const { code, stderr } = await machine.run(line);
  expect(code).toBe(1);
  expect(stderr).toMatch(
    /^hortus: The download does not have the SHA-256 of this line, [0-9a-f]{64}\. It was not run\./,
  );
  expect(await machine.must('ls /was-run /usr/local/bin/hortusd /etc/hortusd 2>/dev/null || true; ls /tmp')).toBe('');
});
