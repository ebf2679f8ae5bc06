import { readFileSync, statSync } from 'node:fs';
import { mkdir, stat, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { Failure } from '../failure.ts';
import { contentOf } from './value-options.ts';

export const TEMPLATE_FILE = 'template.yaml';
/** Maximum length of a template file. */
const MAX_LENGTH = 65_536;

/** Reads a template from a file or its folder. */
export async function templateFile(path: string): Promise<{ path: string; text: string }> {
  const folder = await stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
  const file = folder ? join(path, TEMPLATE_FILE) : path;
  return { path: file, text: await contentOf(file) };
}

/** Tells whether a word is a file rather than a species. */
export async function isFile(word: string): Promise<boolean> {
  return (
    word.includes('/') ||
    word.endsWith('.yaml') ||
    (await stat(word).then(
      () => true,
      () => false,
    ))
  );
}

/** Writes a template to a folder; never overwrites a file. */
export async function writeTemplate(folder: string, text: string): Promise<string> {
  const path = join(folder, TEMPLATE_FILE);
  await mkdir(folder, { recursive: true });
  await writeFile(path, text, { flag: 'wx' }).catch((error: NodeJS.ErrnoException) => {
    const there = error.code === 'EEXIST';
    throw new Failure('usage', there ? `${path} already exists.` : `${path} cannot be written: ${error.message}`);
  });
  return path;
}

/** Reads the files named by a Compose file if they are in its folder and are short text files. */
export function filesBeside(composeFile: string): (path: string) => string | undefined {
  const folder = resolve(dirname(composeFile));
  return (path) => {
    const file = resolve(folder, path);
    const inside = relative(folder, file);
    if (inside === '' || inside === '..' || inside.startsWith(`..${sep}`)) return undefined;
    try {
      const found = statSync(file);
      if (!found.isFile() || found.size > MAX_LENGTH) return undefined;
      const text = readFileSync(file, 'utf8');
      return text.includes('\0') ? undefined : text;
    } catch {
      return undefined;
    }
  };
}
