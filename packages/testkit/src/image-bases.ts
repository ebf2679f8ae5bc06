import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { Wanted } from './debian-files.ts';
import { busyboxPath } from './images.ts';
import type { Entry } from './images-tar.ts';

/** What a published image is built on, which decides the tools that its templates can use. */
export type Base = 'debian' | 'alpine' | 'busybox' | 'scratch';

/**
 * Bases an image is published on, each with the tools its Dockerfile adds. The first is the default; a tag that names `alpine`
 * selects that one. `setpriv` is beside these where an entrypoint drops its privileges, in place of gosu and su-exec.
 */
export type Bases = Readonly<Partial<Record<Base, readonly string[]>>>;

export function baseOf(bases: Bases, tag: string): Base {
  const [first = 'scratch'] = Object.keys(bases) as Base[];
  return tag.includes('alpine') && bases.alpine !== undefined ? 'alpine' : first;
}

/** Debian's essential packages, which its slim images have: a shell and the basic commands, but no curl, wget, ps or ip. */
const essential = [
  ...['base-files', 'bash', 'bsdutils', 'coreutils', 'dash', 'debianutils', 'diffutils', 'findutils', 'grep', 'gzip'],
  ...['hostname', 'libc-bin', 'login', 'ncurses-base', 'perl-base', 'sed', 'sysvinit-utils', 'tar', 'util-linux'],
];

export function baseFiles(base: Base): Wanted {
  return base === 'debian' ? { packages: essential, programs: ['awk', 'sh', 'which'] } : { packages: [] };
}

/** Applets of Debian's busybox that Alpine builds into no package or into one that its image lacks. */
const notInAlpine = [
  ...['ar', 'bc', 'busybox', 'dc', 'dpkg', 'dpkg-deb', 'dumpleases', 'ftpget', 'ftpput', 'httpd', 'last', 'rpm'],
  ...['rpm2cpio', 'svc', 'svok', 'telnet', 'telnetd', 'tftp', 'ts', 'udhcpd', 'w'],
];

/** Busybox with its applets, where the base has it and no package provides the command. */
export function baseEntries(base: Base, taken: ReadonlySet<string>): Entry[] {
  if (base !== 'alpine' && base !== 'busybox') return [];
  const binary = busyboxPath();
  const applets = execFileSync(binary, ['--list'], { encoding: 'utf8' }).trim().split('\n');
  const left = new Set(base === 'alpine' ? notInAlpine : ['busybox']);
  const isFree = (name: string) => !left.has(name) && !taken.has(`/usr/bin/${name}`) && !taken.has(`/usr/sbin/${name}`);
  return [
    { path: 'usr/bin/busybox', kind: 'file', mode: 0o755, content: readFileSync(binary) },
    ...applets.filter(isFree).map((name): Entry => ({ path: `usr/bin/${name}`, kind: 'link', to: '/usr/bin/busybox' })),
  ];
}
