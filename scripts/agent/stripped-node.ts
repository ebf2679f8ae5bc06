import { existsSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { agentArchs } from '@hortus/contract/releases/agent-file';
import { run } from './quiet-run.ts';

export type Arch = (typeof agentArchs)[number];

const cache = join(import.meta.dirname, '../../node_modules/.cache/hortus-agent');
const nodeArch: Record<Arch, string> = { amd64: 'x64', arm64: 'arm64' };
/** Debian's names of strip for the other architecture; LLVM's supports both. */
const crossStrip: Record<Arch, string> = { amd64: 'x86_64-linux-gnu-strip', arm64: 'aarch64-linux-gnu-strip' };

const FETCHING = '.fetching-';

export interface StrippedNode {
  readonly path: string;
  readonly notes: readonly string[];
}

/**
 * Returns the project's Node for an architecture without symbols, which make up a fifth of its size. The result is cached per
 * version.
 */
export async function strippedNode(arch: Arch): Promise<StrippedNode> {
  const kept = join(cache, `node-${process.version}-linux-${arch}`);
  if (existsSync(kept)) return { path: kept, notes: [] };
  await mkdir(cache, { recursive: true });
  await removeLeftovers();
  const workshop = await mkdtemp(join(cache, `${FETCHING}${process.pid}-`));
  try {
    const whole = await wholeNode(arch, workshop);
    const draft = join(workshop, 'stripped');
    if (await strip(arch, whole, draft)) {
      await rename(draft, kept);
      return { path: kept, notes: [] };
    }
    const unstripped = `${kept}-unstripped`;
    const copy = join(workshop, 'whole');
    await copyFile(whole, copy);
    await rename(copy, unstripped);
    const note = `It is larger than it need be: apt-get install binutils-${arch === 'amd64' ? 'x86-64' : 'aarch64'}-linux-gnu makes it smaller.`;
    return { path: unstripped, notes: [note] };
  } finally {
    await rm(workshop, { recursive: true, force: true });
  }
}

/** Removes the files of processes that were killed. */
async function removeLeftovers(): Promise<void> {
  for (const name of await readdir(cache)) {
    if (!name.startsWith(FETCHING)) continue;
    const pid = Number.parseInt(name.slice(FETCHING.length), 10);
    if (!isRunning(pid)) await rm(join(cache, name), { recursive: true, force: true });
  }
}

function isRunning(pid: number): boolean {
  try {
    return pid > 0 && process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Uses the running Node if the architecture matches, otherwise npm's package. */
async function wholeNode(arch: Arch, folder: string): Promise<string> {
  if (process.platform === 'linux' && process.arch === nodeArch[arch]) return process.execPath;
  const name = `node-linux-${nodeArch[arch]}@${process.version.slice(1)}`;
  try {
    await run(['npm', 'pack', name, '--silent', '--pack-destination', folder]);
  } catch (cause) {
    throw new Error(`npm could not download the package ${name}.\n${(cause as Error).message}`);
  }
  const packed = (await readdir(folder)).find((file) => file.endsWith('.tgz'));
  if (packed === undefined) throw new Error(`npm pack ${name} created no package.`);
  await run(['tar', '-xzf', packed, 'package/bin/node'], { cwd: folder });
  return join(folder, 'package/bin/node');
}

/** Returns false if no installed tool supports the architecture. */
async function strip(arch: Arch, from: string, to: string): Promise<boolean> {
  const native = process.arch === nodeArch[arch] ? ['strip'] : [];
  for (const tool of [...native, crossStrip[arch], 'llvm-strip']) {
    const stripped = await run([tool, '-o', to, from]).then(
      () => true,
      () => false,
    );
    if (stripped) return true;
  }
  return false;
}
