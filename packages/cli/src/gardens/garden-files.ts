import { createReadStream } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { GardenFiles } from '@hortus/contract/resources/gardens';
import type { Garden } from '@hortus/garden/format';
import type { Reference, Values } from '@hortus/garden/references';
import { Failure } from '../failure.ts';
import type { Environment, World } from '../world.ts';

export const GARDEN_FILE = 'garden.yaml';

export const fileOption = {
  file: { type: 'string', short: 'f', value: 'path', about: `The file of the garden; ${GARDEN_FILE} by default.` },
} as const;

/** Reads a garden and the files beside it, and looks up what its references name. */
export async function readGardenFiles({ env }: World, file = GARDEN_FILE): Promise<GardenFiles> {
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
  const folder = dirname(file);
  const values: Record<string, string> = {};
  for (const reference of referencesIn(garden)) {
    const value = await lookUp(reference, env, folder);
    if (value !== undefined) values[keyOf(reference)] = value;
  }
  return { garden, templates: await templatesOf(garden, folder), values: values satisfies Values };
}

const templatesOf = ({ templates = [] }: Garden, folder: string) =>
  Promise.all([...new Set(templates)].map(async (path) => ({ path, source: await textOf(resolve(folder, path)) })));

async function lookUp({ kind, name }: Reference, env: Environment, folder: string): Promise<string | undefined> {
  if (kind === 'env') return env[name];
  // Removes the final line break that editors and echo add.
  return (await textOf(resolve(folder, name))).replace(/\r?\n$/, '');
}

/** More than any file of a garden needs. A file of another author may name a device without an end. */
const LARGEST = 4 * 1024 * 1024;

/** A missing file is not wrong usage: `diff` gives exit code 2 another meaning. */
async function textOf(path: string): Promise<string> {
  try {
    const chunks: Buffer[] = [];
    for await (const chunk of createReadStream(path, { end: LARGEST })) chunks.push(chunk);
    const bytes = Buffer.concat(chunks);
    if (bytes.length > LARGEST) throw new Error(`it is larger than ${LARGEST} bytes`);
    return bytes.toString('utf8');
  } catch (error) {
    const missing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    throw new Failure(
      'missing',
      missing ? `There is no file ${path}.` : `${path} cannot be read: ${(error as Error).message}.`,
    );
  }
}
