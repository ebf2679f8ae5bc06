import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Canonical } from '../canonical/canonical-form.ts';
import type { Logo } from '../logos/logo.ts';
import type { Finding } from '../source/finding.ts';
import { loadCatalog } from './load.ts';
import type { VerifiedStamp } from './verified.ts';

/** Data of a template that publishing a catalog needs. */
export interface CatalogEntry {
  findings: Finding[];
  /** Absent if the findings contain an error. */
  spec?: Canonical;
  verified?: VerifiedStamp;
  logo?: Logo;
}

/**
 * Loads a catalog, from a cache if nothing has changed since: reading and checking more than a hundred templates takes
 * one or two seconds, most of the time of a start. The cache can be deleted at any time; without a cache folder the
 * catalog is always loaded from its sources.
 */
export async function loadCachedCatalog(folder: string, keepIn?: string): Promise<CatalogEntry[]> {
  if (keepIn === undefined) return work(folder);
  const prefix = prefixOf(folder);
  const name = `${prefix}${stateOf(folder)}.json`;
  const kept = read(join(keepIn, name));
  if (kept !== undefined) return kept;
  const entries = await work(folder);
  keep(keepIn, { prefix, name }, JSON.stringify(entries));
  return entries;
}

/** Names the catalog, so that services with different catalogs do not replace each other's cache. */
const prefixOf = (folder: string): string =>
  `catalog-${createHash('sha256').update(folder).digest('hex').slice(0, 16)}-`;

async function work(folder: string): Promise<CatalogEntry[]> {
  const catalog = await loadCatalog(folder);
  return catalog.map(({ findings, spec, verified, logo }) => ({
    findings,
    ...(spec && { spec }),
    ...(verified && { verified }),
    ...(logo && { logo }),
  }));
}

/** Hashes every template and the code that reads them. */
function stateOf(folder: string): string {
  const hash = createHash('sha256');
  for (const file of filesBelow(folder)) hash.update(`${file}\0`).update(readFileSync(file)).update('\0');
  codeStamp ??= stampOfCode();
  return hash.update(codeStamp).digest('hex').slice(0, 32);
}

/** Cached, because a process runs the code that it has loaded. */
let codeStamp: string | undefined;

function stampOfCode(): string {
  const modules = [
    import.meta.resolve('@hortus/template/validate'),
    import.meta.resolve('@hortus/contract/template/schema'),
  ];
  const folders = modules.map((url) => dirname(fileURLToPath(url)));
  const stamps = folders.flatMap(filesBelow).map((file) => {
    const { mtimeMs, size } = statSync(file);
    return `${file} ${mtimeMs} ${size}`;
  });
  return stamps.join('\0');
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

function read(file: string): CatalogEntry[] | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}

/** Writes the cache file atomically by renaming it, and removes older ones; a read-only folder is ignored. */
function keep(folder: string, { prefix, name }: { prefix: string; name: string }, text: string): void {
  try {
    const draft = join(folder, `${name}.${process.pid}`);
    writeFileSync(draft, text);
    renameSync(draft, join(folder, name));
    for (const other of readdirSync(folder)) {
      if (other.startsWith(prefix) && other.endsWith('.json') && other !== name)
        rmSync(join(folder, other), { force: true });
    }
  } catch {
    // The next start loads the catalog from its sources.
  }
}
