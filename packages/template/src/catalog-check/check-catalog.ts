import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { formatFinding } from '../source/finding.ts';
import { catalogHashes, checkCatalog } from './check.ts';

const USAGE = `Checks a catalog: every template valid without warnings, every profile and variant resolved, hashes stable.

  npm run catalog:check [-- --corpora <folder>]

  --corpora <folder>  every image tag must occur in a file of this folder, or its template must set unverified: true
`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { corpora: { type: 'string' }, hashes: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } },
});
const [folder = 'catalog'] = positionals;

if (values.help) process.stdout.write(USAGE);
else if (values.hashes) process.stdout.write(JSON.stringify(await catalogHashes(folder)));
else await check();

async function check(): Promise<void> {
  const { corpora } = values;
  // Runs in parallel with the check, on a second core if there is one.
  const earlier = hashesOfAnotherRun();
  const { catalog, findings, resolved } = await checkCatalog(folder, { earlier, ...(corpora && { corpora }) });
  for (const [{ text }, list] of findings) {
    for (const finding of list) console.log(formatFinding(finding, text));
  }
  const all = [...findings.values()].flat();
  const errors = all.filter(({ severity }) => severity === 'error').length;
  const families = new Set(catalog.map(({ family }) => family)).size;
  const unverified = catalog.filter(({ spec }) => spec?.unverified).length;
  const verified = catalog.filter((template) => template.verified !== undefined).length;
  console.log(
    `${catalog.length} species in ${families} families (${verified} verified by a run, ${unverified} with tags never seen), ${resolved} profiles and variants resolved: ${errors} errors, ${all.length - errors} warnings`,
  );
  process.exitCode = all.length === 0 && catalog.length > 0 ? 0 : 1;
}

/** Computes the hashes in a separate process, so that no cache of this process can make the two agree. */
async function hashesOfAnotherRun(): Promise<Record<string, string>> {
  const args = [fileURLToPath(import.meta.url), '--hashes', folder];
  const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: 16 * 1024 * 1024 });
  return JSON.parse(stdout);
}
