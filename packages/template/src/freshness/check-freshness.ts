import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { loadCatalog } from '../catalog/load.ts';
import { catalogFreshness, isOpen } from './catalog-freshness.ts';
import { freshnessReport, pinsReport } from './freshness-report.ts';
import { digestsIn } from './judge-image.ts';
import { readVersionTable, TableProblem, type VersionTable } from './version-table.ts';

const USAGE = `Compares every image of a catalog with a table of known tags, and lists what is behind.

  npm run catalog:freshness -- <table> [--pins] [--json]

The table has lines of repository, tag, digest and stores, separated by tabs. Only stable versions of the same flavour are compared (alpine
with alpine, apache with apache). A template that stays behind on purpose says so: image.held {at: "17", reason: "…"} follows that line.
Exit code 1 if an image is behind, or lacks a digest that the table has, without such a reason.

  --pins     list the images that are pinned by a digest
  --json     print all comparisons as JSON
  --catalog  folder of the catalog; default catalog

A digest should be of an index, which has an image for each architecture. Some digests of a table may be of one architecture only; check
before a release, for example with docker buildx imagetools inspect.

Example: npm run catalog:freshness -- versions.tsv
`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    pins: { type: 'boolean' },
    json: { type: 'boolean' },
    catalog: { type: 'string', default: 'catalog' },
    help: { type: 'boolean', short: 'h' },
  },
});
const [path] = positionals;

if (values.help) process.stdout.write(USAGE);
else if (path === undefined) fail(`The table is missing.\n\n${USAGE}`);
else await compare(path);

async function compare(file: string): Promise<void> {
  const table = await read(file);
  if (table === undefined) return;
  const catalog = (await loadCatalog(values.catalog)).flatMap(({ species, spec }) => (spec ? [{ species, spec }] : []));
  const images = catalogFreshness(catalog, table);
  if (catalog.length === 0) return fail(`${values.catalog} has no valid template.\n`);
  if (values.json) process.stdout.write(`${JSON.stringify(images, undefined, 2)}\n`);
  else process.stdout.write(values.pins ? pinsReport(images) : freshnessReport(images, digestsIn(table)));
  if (images.some(isOpen)) process.exitCode = 1;
}

async function read(file: string): Promise<VersionTable | undefined> {
  try {
    return readVersionTable(await readFile(file, 'utf8'));
  } catch (error) {
    if (!(error instanceof TableProblem) && (error as NodeJS.ErrnoException).code === undefined) throw error;
    fail(`${file}: ${(error as Error).message}\n`);
    return undefined;
  }
}

function fail(message: string): void {
  process.stderr.write(message);
  process.exitCode = 2;
}
