import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { agentFileName } from '@hortus/contract/releases/agent-file';
import { VERSION } from '@hortus/contract/releases/version';
import { buildAgent } from '../../scripts/agent/build.ts';
import type { Arch } from '../../scripts/agent/stripped-node.ts';
import { packTree } from '../../scripts/release/debian/package.ts';
import { makeTree } from '../../scripts/release/debian/tree.ts';
import { builtConsole } from '../console/console-service.ts';

const arch: Arch = process.arch === 'arm64' ? 'arm64' : 'amd64';
const date = new Date('2026-01-02T03:04:05Z');

export interface BuiltPackages {
  /** Folder with two versions of the package. */
  readonly folder: string;
  readonly current: string;
  readonly next: string;
  /** Builds the current version once more from the sources and returns its path. */
  again(): Promise<string>;
}

/** Builds the package without compression, and once more as the next version. */
export async function buildPackages(folder: string): Promise<BuiltPackages> {
  await builtConsole();
  const daemonsFrom = join(folder, 'daemons');
  await buildAgent({ arch, output: join(daemonsFrom, agentFileName({ os: 'linux', arch })) });
  const packages = join(folder, 'packages');
  await mkdir(packages);
  const build = (tree: string) => makeTree(tree, { arch, version: VERSION, date, daemonsFrom });
  const pack = async (tree: string, version: string, into: string) => {
    const name = `hortus_${version}_${arch}.deb`;
    await packTree(tree, { arch, version, date, output: join(into, name), compression: 'none' });
    return name;
  };
  const tree = join(folder, 'tree');
  await build(tree);
  return {
    folder: packages,
    current: await pack(tree, VERSION, packages),
    next: await pack(tree, `${VERSION}+next`, packages),
    async again() {
      const other = join(folder, 'other');
      await build(join(other, 'tree'));
      return join(other, await pack(join(other, 'tree'), VERSION, other));
    },
  };
}
