import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { commandsOf } from '../readme/commands.ts';

export const root = join(import.meta.dirname, '../..');
const run = promisify(execFile);

/** Returns the commands of a section of docs/install.md, in order: its blocks marked `sh run`. */
export function guideBlocks(heading: string): string[] {
  const guide = readFileSync(join(root, 'docs/install.md'), 'utf8');
  const section = guide.split(/^(?=##+ )/m).find((part) => part.startsWith(`${heading}\n`));
  const blocks = commandsOf(section ?? '').map(({ text }) => text);
  if (blocks.length === 0) throw new Error(`docs/install.md has no commands below ${heading}`);
  return blocks;
}

export interface BlockOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Texts to replace in the command, such as ports that other tests may use. */
  readonly replace?: Readonly<Record<string, string>>;
}

/** Runs a block as a person does, in a shell that stops at the first failure. Returns its output. */
export async function runBlock(block: string, { cwd = root, env = {}, replace = {} }: BlockOptions): Promise<string> {
  const text = Object.entries(replace).reduce((all, [from, to]) => all.replaceAll(from, to), block);
  const options = { cwd, env: { ...process.env, ...env }, maxBuffer: 16 * 2 ** 20 };
  const { stdout, stderr } = await run('/bin/sh', ['-e', '-c', text], options);
  return stdout + stderr;
}
