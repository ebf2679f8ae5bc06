import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { askDocker } from './docker-request.ts';
import { takeTurn } from './turn.ts';

const run = promisify(execFile);

/** Increased when the packages below change. */
const EDITION = 2;
/** Beyond Debian's essential packages and apt: an init system, the ingress, Compose, programs to download with, and a library of Node. */
const packages = [
  'systemd',
  'systemd-sysv',
  'dbus',
  'adduser',
  'ca-certificates',
  'caddy',
  'curl',
  'docker-compose',
  'wget',
  'libatomic1',
];
/** Left out, as in Debian's own container images. */
const leftOut = ['/usr/share/doc/*', '/usr/share/locale/*', '/usr/share/man/*'];

/** Time for the first installation on a busy machine. */
export const DEBIAN_ROOT_MS = 15 * 60_000;

/**
 * Makes an image of a freshly installed Debian with dpkg, apt and systemd on the engine, and returns its name. The root is installed
 * once per machine, which takes a minute, and kept in the user's cache.
 */
export async function debianRoot(socketPath: string): Promise<string> {
  const suite = /^VERSION_CODENAME=(\w+)$/m.exec(await readFile('/etc/os-release', 'utf8'))?.[1];
  if (suite === undefined) throw new Error('/etc/os-release names no Debian release; a Debian root needs one');
  const name = `hortus-test/debian-root:${suite}-${EDITION}`;
  await using _turn = await takeTurn('debian-root');
  if ((await askDocker(socketPath, 'GET', `/images/${name}/json`)).status === 200) return name;
  const archive = await installed(suite);
  await run('docker', ['-H', `unix://${socketPath}`, 'import', '-c', 'ENV container=docker', archive, name]);
  return name;
}

async function installed(suite: string): Promise<string> {
  const folder = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'hortus-test');
  const archive = join(folder, `debian-${suite}-${process.arch}-${EDITION}.tar`);
  if (existsSync(archive)) return archive;
  await mkdir(folder, { recursive: true });
  const draft = `${archive.slice(0, -'.tar'.length)}.draft.tar`;
  await rm(draft, { force: true });
  const excluded = leftOut.map((path) => `--dpkgopt=path-exclude=${path}`);
  // The mirrors of this machine; without any, mmdebstrap takes Debian's own.
  const sources = ['/etc/apt/sources.list.d/debian.sources', '/etc/apt/sources.list'].find((path) => existsSync(path));
  const options = ['--variant=apt', `--include=${packages.join()}`, '--aptopt=APT::Install-Recommends "false"'];
  const args = [...options, ...excluded, suite, draft, ...(sources === undefined ? [] : [sources])];
  await run('mmdebstrap', args, { maxBuffer: 16 * 2 ** 20 });
  await rename(draft, archive);
  return archive;
}
