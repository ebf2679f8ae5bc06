import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { OLDEST_NODE } from '../cli/bundle.ts';

const root = join(import.meta.dirname, '../..');

/** Writes the package.json of a published package: its own fields and those that all packages share. */
export function manifestOf(source: string, own: { readonly name: string } & Readonly<Record<string, unknown>>): string {
  const { version } = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8')) as { version: string };
  const { license } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { license: string };
  const { name, ...rest } = own;
  return `${JSON.stringify({ name, version, license, ...rest, engines: { node: `>=${OLDEST_NODE}` } }, null, 2)}\n`;
}

/** Adds what a reader of the package looks for first. */
export async function copyDocuments(source: string, folder: string): Promise<void> {
  await copyFile(join(source, 'README.md'), join(folder, 'README.md'));
  await copyFile(join(root, 'LICENSE'), join(folder, 'LICENSE'));
}

/** Packs a folder with npm, which gives all files the same date, and returns the path of the package. */
export function pack(folder: string, destination: string): string {
  const argv = [
    'pack',
    '--json',
    '--ignore-scripts',
    '--offline',
    '--loglevel=error',
    '--pack-destination',
    destination,
  ];
  const { status, stdout, stderr, error } = spawnSync('npm', argv, { cwd: folder, encoding: 'utf8' });
  if (error) throw error;
  if (status !== 0) throw new Error(`npm pack failed: ${stderr || stdout}`);
  const [packed] = Object.values(JSON.parse(stdout)) as [{ filename: string }];
  return join(destination, packed.filename);
}
