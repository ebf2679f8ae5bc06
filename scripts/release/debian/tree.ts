import { chmod, copyFile, cp, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { manualPage } from '@hortus/cli/command-line/manual';
import { table } from '@hortus/cli/commands/table';
import { shellScripts } from '@hortus/cli/completion/shells';
import { agentFileName } from '@hortus/contract/releases/agent-file';
import { ENVIRONMENT, PACKAGED_UNIT } from '@hortus/daemon/install/installation';
import { systemdUnit } from '@hortus/daemon/install/unit';
import { type Arch, strippedNode } from '../../agent/stripped-node.ts';
import { bundleCli } from '../../cli/bundle.ts';
import { daemonManual } from '../../daemon-manual.ts';
import { makeReleaseFolder } from '../release-folder.ts';
import { changelog, copyright } from './control.ts';

const root = join(import.meta.dirname, '../../..');
const files = join(import.meta.dirname, 'files');
const HOME = 'usr/lib/hortus';
const NODE = `/${HOME}/bin/node`;
const DAEMON_STATE = '/var/lib/hortusd';

export interface PackagedTree {
  readonly arch: Arch;
  readonly version: string;
  readonly date: Date;
  /** Folder with the binary of the daemon for this architecture. */
  readonly daemonsFrom: string;
}

/** Writes the installed files of the package below an empty folder. */
export async function makeTree(folder: string, { arch, version, date, daemonsFrom }: PackagedTree): Promise<void> {
  const at = (path: string) => join(folder, path);
  const write = async (path: string, text: string | Uint8Array) => {
    await mkdir(dirname(at(path)), { recursive: true });
    await writeFile(at(path), text);
  };
  const { daemons } = await makeReleaseFolder(at(HOME), { daemonsFrom });
  const daemon = agentFileName({ os: 'linux', arch });
  if (!daemons.includes(daemon)) throw new Error(`${join(daemonsFrom, daemon)} is missing; build it first.`);
  for (const name of ['LICENSE', 'README.md']) await rm(at(`${HOME}/${name}`), { force: true });
  await copyFile(join(root, 'CHANGELOG.md'), at(`${HOME}/CHANGELOG.md`));
  await mkdir(at(`${HOME}/bin`));
  await copyFile((await strippedNode(arch)).path, at(NODE));
  await chmod(at(NODE), 0o755);
  await copyFile(join(files, 'wait-until-ready.mjs'), at(`${HOME}/bin/wait-until-ready.mjs`));

  await bundleCli(at(`${HOME}/cli`));
  const main = at(`${HOME}/cli/main.mjs`);
  // Not a program by itself: the command runs it on the Node of the package, whatever Node the machine has.
  await writeFile(main, (await readFile(main, 'utf8')).replace(/^#!.*\n/, ''));
  await chmod(main, 0o644);
  await write('usr/bin/hortus', `#!/bin/sh\nexec ${NODE} /${HOME}/cli/main.mjs "$@"\n`);
  await chmod(at('usr/bin/hortus'), 0o755);
  // The binary that other servers download is also the daemon of this one.
  await chmod(at(`${HOME}/dist/${daemon}`), 0o755);
  await symlink(`../lib/hortus/dist/${daemon}`, at('usr/bin/hortusd'));

  await write('lib/systemd/system/hortus.service', await readFile(join(files, 'hortus.service')));
  await write(PACKAGED_UNIT, daemonUnit());
  await write('etc/hortus/hortus.env', await readFile(join(files, 'hortus.env')));
  await write('usr/share/man/man1/hortus.1.gz', compressed(manualPage(table)));
  await write('usr/share/man/man8/hortusd.8.gz', compressed(daemonManual()));
  await write('usr/share/doc/hortus/changelog.gz', compressed(changelog(version, date)));
  await write('usr/share/doc/hortus/copyright', copyright(await readFile(join(root, 'LICENSE'), 'utf8')));
  await write('usr/share/bash-completion/completions/hortus', shellScripts.bash);
  await write('usr/share/zsh/vendor-completions/_hortus', shellScripts.zsh);
  await write('usr/share/fish/vendor_completions.d/hortus.fish', shellScripts.fish);
  await cp(join(files, 'lintian-overrides'), at('usr/share/lintian/overrides/hortus'));
}

/** The unit that `hortusd install` writes, waiting until the server belongs to a service. */
const daemonUnit = (): string =>
  systemdUnit({
    command: ['/usr/bin/hortusd', 'run'],
    environmentFile: ENVIRONMENT,
    writable: [DAEMON_STATE],
    // Written by `hortusd install`; before that, the server does not belong to a service.
    onlyIf: ENVIRONMENT,
  });

/** zlib writes no time into the header. */
const compressed = (text: string): Uint8Array => gzipSync(text, { level: 9 });
