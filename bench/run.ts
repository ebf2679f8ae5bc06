import { writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { benchPackages, debianPackages, installMissingPackages } from '../scripts/debian-packages.ts';
import { commandRunner } from '../scripts/run-command.ts';
import { actionBench } from './action.ts';
import { type Bench, type Figure, kept } from './claim.ts';
import { cliStart } from './cli-start.ts';
import { coldStart } from './cold-start.ts';
import { consoleBench } from './console.ts';
import { consoleScrolling } from './console-scrolling.ts';
import { containerFlood } from './container-flood.ts';
import { daemonIdle } from './daemon-idle.ts';

import { definitionsCreate } from './definitions-create.ts';
import { deployBench } from './deploy.ts';
import { eventLoop } from './event-loop.ts';
import { fleetBench } from './fleet.ts';
import { floodsBench } from './floods.ts';
import { gapBench } from './gap.ts';
import { gardenBench } from './garden.ts';
import { idle } from './idle.ts';
import { lists } from './lists.ts';
import { logsBench } from './logs.ts';
import { reads } from './reads.ts';
import { redaction } from './redaction.ts';
import { templatesRead } from './templates-read.ts';
import { transferBench } from './transfer.ts';
import { webhooksBench } from './webhooks.ts';

/**
 * `npm run bench [-- name …] [--quick] [--only=part]`: measures every claim as a ratio against a limit of the same run. `--only` chooses
 * rows of `reads` and `event-loop` by a part of their names, for example `--only=definitions.`.
 */
const benches: readonly Bench[] = [
  templatesRead,
  definitionsCreate,
  lists,
  reads,
  gardenBench,
  coldStart,
  cliStart,
  eventLoop,
  deployBench,
  gapBench,
  actionBench,
  daemonIdle,
  redaction,
  idle,
  fleetBench,
  logsBench,
  containerFlood,
  webhooksBench,
  transferBench,
  consoleBench,
  floodsBench,
  consoleScrolling,
];

const root = join(import.meta.dirname, '..');
await installMissingPackages(commandRunner(root, new AbortController().signal), [...debianPackages, ...benchPackages]);
const names = process.argv.slice(2).filter((arg) => !arg.startsWith('--'));
const repetitions = process.argv.includes('--quick') ? 1 : 3;
const only = process.argv.find((arg) => arg.startsWith('--only='))?.slice('--only='.length);
const figures: Figure[] = [];
for (const bench of benches.filter(({ name }) => names.length === 0 || names.includes(name))) {
  console.error(`${bench.name} …`);
  const measured = await bench.run(repetitions, only);
  // At once: a later bench may fail.
  console.log(table(measured));
  figures.push(...measured);
}
if (names.length === 0) {
  const machine = { cpu: cpus()[0]?.model, cores: cpus().length, node: process.version };
  writeFileSync(
    'bench/results.json',
    `${JSON.stringify({ measured_at: new Date().toISOString(), machine, figures }, null, 2)}\n`,
  );
}
if (figures.some((figure) => kept(figure) === false)) process.exitCode = 1;

function table(rows: readonly Figure[]): string {
  const cells = rows.map((row) => [
    row.claim,
    `${shown(row.value)} ${row.unit}`,
    row.against ? `${shown(row.against.value)} ${row.against.name}` : '',
    row.ratio === undefined ? '' : row.ratio.toFixed(2),
    row.promise === undefined ? '' : 'atLeast' in row.promise ? `≥ ${row.promise.atLeast}` : `≤ ${row.promise.atMost}`,
    kept(row) === undefined ? '' : kept(row) ? 'kept' : 'MISSED',
    row.note ?? '',
  ]);
  const all = [['claim', 'measured', 'against', 'ratio', 'promise', '', ''], ...cells];
  const widths = all[0]?.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0))) ?? [];
  return all
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function shown(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString('en') : value.toPrecision(3);
}
