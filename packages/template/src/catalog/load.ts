import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { Template } from '@hortus/contract/template/schema';
import { canonical, specHash } from '../canonical/canonical.ts';
import type { Canonical } from '../canonical/canonical-form.ts';
import { LOGO_FACTS_FILE, LOGO_FILE, type Logo, readLogo } from '../logos/logo.ts';
import { error, type Finding, type Path } from '../source/finding.ts';
import { type Parsed, parse } from '../source/parse.ts';
import { place, validate } from '../validate.ts';
import { readStamp, VERIFIED_FILE, type VerifiedStamp } from './verified.ts';

const TEMPLATE_FILE = 'template.yaml';

export interface LoadedTemplate {
  file: string;
  family: string;
  species: string;
  findings: Finding[];
  /** Absent if there is no file. */
  text?: string;
  parsed?: Parsed;
  /** Absent if the findings contain an error. */
  template?: Template;
  spec?: Canonical;
  specHash?: string;
  /** When this very spec was run as a whole; absent if it never was, or if it has changed since. */
  verified?: VerifiedStamp;
  /** The logo of the project; the generated mark is drawn beside it, or alone without it. */
  logo?: Logo;
}

/** Reads `<folder>/<family>/<species>/template.yaml` of a whole catalog, sorted by name. */
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
  const text = await readIfThere(path);
  if (text === undefined) {
    const message = `the folder has no ${TEMPLATE_FILE}`;
    const finding: Finding = { severity: 'error', code: 'no-template', path: '', line: 1, column: 1, message, file };
    return { file, family, species, findings: [finding] };
  }
  const parsed = parse(text, file);
  const { template, findings } = validate(parsed, file);
  const read = { file, family, species, findings, text, parsed };
  if (template === undefined) return read;
  const misplaced = (path: Path, message: string) => findings.push(place(error('folder', path, message), parsed, file));
  if (template.slug !== species)
    misplaced(['slug'], `the slug ${template.slug} differs from the name of the folder, ${species}`);
  const { family: said } = template.taxonomy;
  if (said !== family) {
    misplaced(['taxonomy', 'family'], `the family ${said} differs from the folder of the family, ${family}`);
  }
  const spec = canonical(template);
  const hash = specHash(spec);
  const stamp = await readIfThere(join(folder, VERIFIED_FILE));
  const verified = stamp === undefined ? undefined : readStamp(stamp);
  if (stamp !== undefined && verified === undefined) {
    const message = `${VERIFIED_FILE} is no stamp of hortus template verify`;
    findings.push(place(error('stamp', [], message, 'delete the file, or verify the species again'), parsed, file));
  }
  const found = readLogo(await readIfThere(join(folder, LOGO_FILE)), await readIfThere(join(folder, LOGO_FACTS_FILE)));
  if (found && 'problem' in found) findings.push(place(error('logo', [], found.problem), parsed, file));
  return {
    ...read,
    template,
    spec,
    specHash: hash,
    ...(verified?.spec_hash === hash && { verified }),
    ...(found && 'logo' in found && { logo: found.logo }),
  };
}

const readIfThere = (path: string): Promise<string | undefined> =>
  readFile(path, 'utf8').catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT') return undefined;
    throw cause;
  });
