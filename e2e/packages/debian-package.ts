import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { agentFileName } from '@hortus/contract/agent-file';
import { VERSION } from '@hortus/daemon/version';
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
}

/** Builds the package without compression, and once more as the next version. */
export async function buildPackages(folder: string): Promise<BuiltPackages> {
  await builtConsole();
  const daemonsFrom = join(folder, 'daemons');
  await buildAgent({ arch, output: join(daemonsFrom, agentFileName({ os: 'linux', arch })) });
  const tree = join(folder, 'tree');
  await makeTree(tree, { arch, version: VERSION, date, daemonsFrom });
  const packages = join(folder, 'packages');
  await mkdir(packages);
  const pack = async (version: string) => {
    const name = `hortus_${version}_${arch}.deb`;
    await packTree(tree, { arch, version, date, output: join(packages, name), compression: 'none' });
    return name;
  };
  return { folder: packages, current: await pack(VERSION), next: await pack(`${VERSION}+next`) };
}
