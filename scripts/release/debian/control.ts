import type { Arch } from '../../agent/stripped-node.ts';

export interface ControlFacts {
  readonly version: string;
  readonly arch: Arch;
  /** Size of the installed files, in KiB. */
  readonly installedSize: number;
}

/** Libraries that Node is linked with, and what the maintainer scripts call. */
const depends = [
  'libc6 (>= 2.28)',
  'libstdc++6 (>= 12)',
  'libgcc-s1',
  'libatomic1',
  'adduser',
  'debconf (>= 0.5) | debconf-2.0',
];
/** The engine and the ingress that the daemon drives; a machine that runs only the service needs neither. */
const recommends = ['docker.io (>= 20.10) | podman (>= 4.3) | docker-ce', 'caddy', 'git'];

/** Builds the control file of the package. */
export const controlFile = ({ version, arch, installedSize }: ControlFacts): string => `Package: hortus
Version: ${version}
Architecture: ${arch}
Maintainer: Hortus maintainers <maintainers@hortus.invalid>
Installed-Size: ${installedSize}
Depends: ${depends.join(', ')}
Recommends: ${recommends.join(', ')}
Section: admin
Priority: optional
Description: deploy applications to your own servers
 Hortus keeps a catalog of applications, deploys them to your own servers as
 containers, watches them, backs them up and acts on them.
 .
 This package contains the service with its web console (hortus.service), the
 daemon that drives the container engine of a server (hortusd.service), and the
 command line client hortus.
`;

/** Files in /etc that an upgrade does not overwrite if they were edited. */
export const conffiles = '/etc/hortus/hortus.env\n';

/** Builds the changelog in Debian's format; the details are in the changelog of the project. */
export const changelog = (version: string, date: Date): string => `hortus (${version}) stable; urgency=medium

  * See /usr/lib/hortus/CHANGELOG.md.

 -- Hortus maintainers <maintainers@hortus.invalid>  ${debianDate(date)}
`;

/** Builds the copyright file in Debian's format from the text of the licence. */
export function copyright(license: string): string {
  const [, owner = 'the Hortus authors'] = /^Copyright \(c\) (.+)$/m.exec(license) ?? [];
  const text = license
    .slice(license.indexOf('Permission is hereby'))
    .trim()
    .split('\n')
    .map((line) => ` ${line.trim() === '' ? '.' : line}`)
    .join('\n');
  return `Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: Hortus

Files: *
Copyright: ${owner}
License: Expat

Files: usr/lib/hortus/bin/node usr/lib/hortus/dist/hortusd-*
Copyright: Node.js contributors and the authors of the libraries in it
License: Expat
Comment: Contains Node.js; the command node -p process.versions lists its libraries.

License: Expat
${text}
`;
}

/** Formats a date as RFC 5322 does, in UTC. */
const debianDate = (date: Date): string => date.toUTCString().replace(/GMT$/, '+0000');
