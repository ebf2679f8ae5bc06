import { createReadStream } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { dirname, isAbsolute, relative, resolve, sep } from 'node:path';
import type { GardenFiles } from '@hortus/contract/resources/gardens';
import type { Garden } from '@hortus/garden/format';
import type { Reference, Values } from '@hortus/garden/references';
import { Failure } from '../failure.ts';
import type { Environment, World } from '../world/world.ts';

export const GARDEN_FILE = 'garden.yaml';

export const fileOption = {
  file: { type: 'string', short: 'f', value: 'path', about: `The file of the garden; ${GARDEN_FILE} by default.` },
  'allow-outside': {
    type: 'boolean',
    about: 'Let templates and ${file:…} name files outside the folder of the garden, such as /run/secrets.',
  },
} as const;

interface FileOptions {
  readonly file?: string | undefined;
  readonly 'allow-outside'?: boolean | undefined;
}

/** Reads a garden and the files beside it, and looks up what its references name. */
export async function readGardenFiles(
  { env }: World,
  { file = GARDEN_FILE, 'allow-outside': isOutsideAllowed = false }: FileOptions = {},
): Promise<GardenFiles> {
  // Loaded when needed: reading YAML is a large part of the program.
  const [{ readGarden }, { keyOf, referencesIn }] = await Promise.all([
    import('@hortus/garden/reading'),
    import('@hortus/garden/references'),
  ]);
  const { garden, problems } = readGarden(await textOf(file));
  if (garden === undefined) {
    const lines = problems.map(({ field, message, line, column }) => {
      const where = field === '' ? '' : ` (${field})`;
      return `${file}:${line}:${column}: ${message}${where}`;
    });
    throw new Failure('refused', lines.join('\n'));
  }
  const folder: Folder = { path: dirname(file), isOutsideAllowed };
  const values: Record<string, string> = {};
  for (const reference of referencesIn(garden)) {
    const value = await lookUp(reference, env, folder);
    if (value !== undefined) values[keyOf(reference)] = value;
  }
  return { garden, templates: await templatesOf(garden, folder), values: values satisfies Values };
}

interface Folder {
  readonly path: string;
  readonly isOutsideAllowed: boolean;
}

const templatesOf = ({ templates = [] }: Garden, folder: Folder) =>
  Promise.all([...new Set(templates)].map(async (path) => ({ path, source: await textBelow(folder, path) })));

async function lookUp({ kind, name }: Reference, env: Environment, folder: Folder): Promise<string | undefined> {
  if (kind === 'env') return env[name];
  // Removes the final line break that editors and echo add.
  return (await textBelow(folder, name)).replace(/\r?\n$/, '');
}

/**
 * Reads a file that a garden names. A garden of another author could otherwise have any file of this machine, such as a
 * private key, sent to the service and on to a server.
 */
async function textBelow({ path, isOutsideAllowed }: Folder, name: string): Promise<string> {
  const named = resolve(path, name);
  if (isOutsideAllowed) return await textOf(named);
  const folder = await realpath(path);
  const target = await realpath(named).catch(() => resolve(folder, name));
  const way = relative(folder, target);
  if (way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way))
    throw new Failure('refused', `${name} is outside the folder of the garden.`, {
      hint: 'If you trust the file, use --allow-outside.',
    });
  // The resolved path: a link that is exchanged now is not followed.
  return await textOf(target);
}

/** More than any file of a garden needs. A file of another author may name a device without an end. */
const MAX_BYTES = 4 * 1024 * 1024;

/** A missing file is not wrong usage: `diff` gives exit code 2 another meaning. */
async function textOf(path: string): Promise<string> {
  try {
    const chunks: Buffer[] = [];
    for await (const chunk of createReadStream(path, { end: MAX_BYTES })) chunks.push(chunk);
    const bytes = Buffer.concat(chunks);
    if (bytes.length > MAX_BYTES) throw new Error(`it is larger than ${MAX_BYTES} bytes`);
    return bytes.toString('utf8');
  } catch (error) {
    const missing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    throw new Failure(
      'missing',
      missing ? `There is no file ${path}.` : `${path} cannot be read: ${(error as Error).message}.`,
    );
  }
}
