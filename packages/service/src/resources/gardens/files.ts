import type { GardenFiles } from '@hortus/contract/resources/gardens';
import type { Garden } from '@hortus/garden/format';
import { checkGarden, type Read } from '@hortus/garden/reading';
import { keyOf, referencesIn, type Values } from '@hortus/garden/references';
import { invalid, Problem } from '../../problem.ts';
import { type Work, workerJob } from '../../workers/job.ts';
import { READ_DRAFT, type Written } from '../drafts/public.ts';

export const READ_GARDEN = workerJob('garden.read', (garden: unknown): Read => checkGarden(garden));

/** The files of a garden, read and checked as far as possible without the database. */
export interface ReadFiles {
  readonly garden: Garden;
  readonly values: Values;
  /** Templates by their path. */
  readonly templates: ReadonlyMap<string, Written>;
  /** References without a value. */
  readonly unresolved: readonly string[];
  readonly prune: boolean;
}

/** Reads the files in worker threads, because their cost depends on what the caller wrote. */
export async function readFiles(work: Work, account: string, body: GardenFiles): Promise<ReadFiles> {
  const { garden: input, values = {}, prune = false } = body;
  const { garden, problems } = await work.run(READ_GARDEN, { account, field: 'garden' }, input);
  if (garden === undefined) {
    const named = problems.map(({ field, message }) => ({ field: join('garden', field), message }));
    const [first] = named;
    throw new Problem('VALIDATION_ERROR', `${first?.field}: ${first?.message}`, {
      reason: 'invalid',
      field: first?.field,
      problems: named,
    });
  }
  const templates = new Map<string, Written>();
  const sources = new Map((body.templates ?? []).map(({ path, source }) => [path, source]));
  for (const path of new Set(garden.templates)) {
    const source = sources.get(path);
    if (source === undefined) throw invalid('templates', `${path} is named by the garden but was not sent.`);
    templates.set(path, await readTemplate(work, account, path, source));
  }
  const unresolved = referencesIn(garden)
    .map(keyOf)
    .filter((key) => !Object.hasOwn(values, key));
  return { garden, values, templates, unresolved, prune };
}

async function readTemplate(work: Work, account: string, path: string, source: string): Promise<Written> {
  try {
    return await work.run(READ_DRAFT, { account, field: 'templates' }, { source });
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    throw new Problem('VALIDATION_ERROR', `templates: ${path}: ${error.message}`, {
      ...error.details,
      field: 'templates',
    });
  }
}

const join = (first: string, path: string): string => (path === '' ? first : `${first}.${path}`);
