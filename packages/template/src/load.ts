import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { Template } from '@hortus/contract/template/schema';
import { canonical, specHash } from './canonical.ts';
import type { Canonical } from './canonical-form.ts';
import type { Finding } from './finding.ts';
import { parse } from './parse.ts';
import { validate } from './validate.ts';

const TEMPLATE_FILE = 'template.yaml';

export interface LoadedTemplate {
  file: string;
  family: string;
  species: string;
  findings: Finding[];
  /** Missing where the findings hold an error. */
  template?: Template;
  spec?: Canonical;
  specHash?: string;
}

/** Reads `<folder>/<family>/<species>/template.yaml` of a whole catalog, in the order of their names. */
export async function loadCatalog(folder: string): Promise<LoadedTemplate[]> {
  const loaded: LoadedTemplate[] = [];
  for (const family of await subfolders(folder)) {
    for (const species of await subfolders(join(folder, family))) {
      loaded.push(await loadTemplate(join(folder, family, species), family, species, folder));
    }
  }
  return loaded;
}

async function subfolders(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  return entries
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort();
}

async function loadTemplate(folder: string, family: string, species: string, root: string): Promise<LoadedTemplate> {
  const path = join(folder, TEMPLATE_FILE);
  const file = relative(join(root, '..'), path);
  const text = await readFile(path, 'utf8').catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT') return undefined;
    throw cause;
  });
  if (text === undefined) {
    const message = `the folder holds no ${TEMPLATE_FILE}`;
    const finding: Finding = { severity: 'error', code: 'no-template', path: '', line: 1, column: 1, message, file };
    return { file, family, species, findings: [finding] };
  }
  const parsed = parse(text, file);
  const { template, findings } = validate(parsed, file);
  if (template === undefined) return { file, family, species, findings };
  const misplaced = (key: string, path: string[], message: string): Finding => ({
    severity: 'error',
    code: 'folder',
    path: key,
    ...parsed.positionOf(path),
    message,
    file,
  });
  if (template.slug !== species) {
    findings.push(misplaced('slug', ['slug'], `the folder is called ${species}, the species ${template.slug}`));
  }
  if (template.taxonomy.family !== family) {
    const said = template.taxonomy.family;
    findings.push(
      misplaced(
        'taxonomy.family',
        ['taxonomy', 'family'],
        `the folder belongs to family ${family}, the template to ${said}`,
      ),
    );
  }
  const spec = canonical(template);
  return { file, family, species, findings, template, spec, specHash: specHash(spec) };
}
