import { readdirSync, readFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { filesBeside } from '@hortus/cli/arguments/template-files';
import { type ComposeImport, importCompose } from '@hortus/template/compose/import/import-compose';
import { dangersOf, isFlagged } from './import-dangers.ts';
import { parseCompose, readServices, valuesOf } from './import-reading.ts';
import { componentOf, roundTrip } from './import-round-trip.ts';
import { isReachable, wrongRoutes } from './import-ways.ts';

/**
 * `npm run bench:import -- <folder>`: measures how well real Compose files become templates. Every file counts, even those that
 * Compose refuses. The bench reads the original and the export with its own reader.
 */
interface Outcome {
  file: string;
  valid: boolean;
  whole: boolean;
  dangers: number;
  flagged: number;
  equal: boolean;
  reachable: boolean;
  reasons: string[];
}

const PROMISES = { valid: 99.5, whole: 90, reachable: 97, flagged: 100, equal: 98 };

const [folder] = process.argv.slice(2);
if (folder === undefined) {
  console.error('usage: npm run bench:import -- <folder of Compose files>');
  process.exit(64);
}
const outcomes: Outcome[] = [];
for (const file of composeFiles(folder)) outcomes.push(await examine(file, relative(folder, file)));
report(outcomes);

function composeFiles(root: string): string[] {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.ya?ml$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

async function examine(path: string, file: string): Promise<Outcome> {
  const text = readFileSync(path, 'utf8');
  const reasons: string[] = [];
  // As the command line gives them.
  const files = filesBeside(path);
  let imported: ComposeImport;
  try {
    imported = importCompose(text, { name: basename(path).replace(/\.ya?ml$/, ''), files });
  } catch (error) {
    return {
      file,
      valid: false,
      whole: false,
      dangers: 1,
      flagged: 0,
      equal: false,
      reachable: false,
      reasons: [`exception: ${String(error)}`],
    };
  }
  const { template, findings, dropped } = imported;
  const errors = findings.filter(({ severity }) => severity === 'error');
  reasons.push(...errors.map(({ line, code, message }) => `invalid: ${code} at line ${line}: ${message}`));
  reasons.push(...dropped.map(({ path: place, message }) => `dropped: ${place}: ${message}`));
  const missed: string[] = [];
  let dangers = 0;
  let differing: string[] = ['the file cannot be read'];
  let reachable = false;
  try {
    const original = parseCompose(text);
    for (const danger of dangersOf(original)) {
      dangers++;
      const component = template && componentOf(template, danger.service);
      const isRefused = errors.some(({ path: place }) => place === `services.${danger.service}.${danger.key}`);
      if (isRefused) continue;
      if (template === undefined || component === undefined || !isFlagged(danger, component, template, dropped)) {
        missed.push(`not flagged: ${danger.service} ${danger.key} ${danger.value ?? ''}`);
      }
    }
    const services = readServices(original, valuesOf(files('.env')));
    reachable = isReachable(imported, services);
    if (template !== undefined && errors.length === 0) {
      differing = [...(await roundTrip(original, template, files)), ...wrongRoutes(imported, services)];
    }
  } catch (error) {
    differing = [error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error)];
  }
  if (!reachable) reasons.push('not reachable');
  reasons.push(...missed, ...differing.map((difference) => `round trip: ${difference}`));
  return {
    file,
    valid: template !== undefined && errors.length === 0,
    whole: template !== undefined && dropped.length === 0,
    dangers,
    flagged: dangers - missed.length,
    equal: differing.length === 0,
    reachable,
    reasons,
  };
}

function report(all: readonly Outcome[]): void {
  for (const { file, reasons } of all) for (const reason of reasons) console.log(`${file}: ${reason}`);
  const share = (part: number, whole: number) => (whole === 0 ? 100 : (100 * part) / whole);
  const count = (holds: (outcome: Outcome) => boolean) => share(all.filter(holds).length, all.length);
  const sum = (of: (outcome: Outcome) => number) => all.reduce((total, outcome) => total + of(outcome), 0);
  const dangers = sum(({ dangers: number }) => number);
  const figures: [string, number, number][] = [
    ['imported and valid', count(({ valid }) => valid), PROMISES.valid],
    ['with nothing dropped', count(({ whole }) => whole), PROMISES.whole],
    ['reachable', count(({ reachable }) => reachable), PROMISES.reachable],
    [
      `dangerous constructs flagged (of ${dangers})`,
      share(
        sum(({ flagged }) => flagged),
        dangers,
      ),
      PROMISES.flagged,
    ],
    ['round trip equal', count(({ equal }) => equal), PROMISES.equal],
  ];
  console.log(`${all.length} files`);
  for (const [name, value, promise] of figures) {
    console.log(
      `${name.padEnd(42)} ${value.toFixed(1).padStart(5)} %   ≥ ${promise}   ${value >= promise ? 'kept' : 'MISSED'}`,
    );
  }
  if (figures.some(([, value, promise]) => value < promise)) process.exitCode = 1;
}
