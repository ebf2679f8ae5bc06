import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { inspect } from 'node:util';
import type { Bench, Figure } from './claim.ts';
import { drawPanels, type Panel } from './fleet/chart.ts';
import { type Connections, measureConnections } from './fleet/connections.ts';
import { measurePruning, type Pruning } from './fleet/pruning.ts';
import { measureReports, type Reports } from './fleet/reports.ts';
import { measureRows, type RowTimes, readsOfRows } from './fleet/rows.ts';

const CHART = 'docs/fleet.svg';

const whole = {
  daemons: [1_000, 3_000, 10_000],
  reporting: [1_000, 10_000],
  rows: [1_000, 10_000, 100_000, 1_000_000],
  expired: 1_000_000,
};
const quick = { daemons: [1_000, 10_000], reporting: [10_000], rows: [1_000, 100_000], expired: 100_000 };

/** Measures one process with ten thousand daemons and a million rows, and draws cost against size. */
export const fleetBench: Bench = {
  name: 'fleet',
  async run(repetitions) {
    const sizes = repetitions === 1 ? quick : whole;
    // The service has the first core for itself.
    execFileSync('taskset', ['-a', '-c', '-p', '1', String(process.pid)]);
    const connections: Connections[] = [];
    for (const daemons of sizes.daemons) connections.push(said(await measureConnections(daemons)));
    const reports: Reports[] = [];
    for (const daemons of sizes.reporting) reports.push(said(await measureReports(daemons)));
    const rows = said(await measureRows(sizes.rows));
    const pruning = said(await measurePruning(sizes.expired));
    execFileSync('taskset', ['-a', '-c', '-p', '0-1', String(process.pid)]);
    // The published chart has all sizes.
    if (sizes === whole) writeFileSync(CHART, drawPanels(panelsOf(connections, reports, rows)));
    return [
      ...connections.slice(-1).flatMap(figuresOfConnections),
      ...reports.slice(-1).flatMap(figuresOfReports),
      ...figuresOfRows(rows),
      ...figuresOfPruning(pruning),
    ];
  },
};

/** Prints a part at once: the whole takes many minutes, and a later part may fail. */
const said = <Part>(part: Part): Part => {
  console.error(inspect(part, { depth: 3, breakLength: 120 }));
  return part;
};

/** A figure with a limit that is a time or a size, not a ratio to another measurement. */
const limited = (claim: string, value: number, unit: string, limit: number, note: string): Figure => ({
  claim,
  value,
  unit,
  against: { name: 'limit', value: limit },
  ratio: value / limit,
  promise: { atMost: 1 },
  note,
});

function figuresOfConnections(of: Connections): Figure[] {
  const crowd = `${of.daemons.toLocaleString('en')} daemons`;
  const worst = (probe: { readonly p50: number; readonly worst: number }) =>
    `p50 ${probe.p50.toFixed(1)}, worst ${probe.worst.toFixed(0)}`;
  const { servers, templates, health } = of.storm;
  const { bare } = of.dispatch;
  const bareTimes = `p50 ${of.dispatch.p50.toFixed(1)}; bare node:http with one durable write: p50 ${bare.p50.toFixed(1)}, p99 ${bare.p99.toFixed(1)}`;
  const started = `the first answer to others came ${(of.startMs / 1_000).toFixed(1)} s after the new start`;
  return [
    limited(
      `memory for each of ${crowd}`,
      of.bytesEach / 1_024,
      'KiB',
      15,
      `all connected within ${(of.connectMs / 1_000).toFixed(1)} s`,
    ),
    limited(`order of an action until its daemon has it, ${crowd}, p99`, of.dispatch.p99, 'ms', 5, bareTimes),
    limited(`kill -9 of the service until ${crowd} are back`, of.backMs / 1_000, 's', 10, started),
    limited(`GET /servers while ${crowd} come back, p99`, servers.p99, 'ms', 100, worst(servers)),
    limited(`GET /templates while ${crowd} come back, p99`, templates.p99, 'ms', 100, worst(templates)),
    limited(`GET /health while ${crowd} come back, p99`, health.p99, 'ms', 100, worst(health)),
  ];
}

function figuresOfReports(of: Reports): Figure[] {
  const fleet = `${of.instances.toLocaleString('en')} instances that report every 30 s`;
  const kept = `${of.responded} of ${Math.round(of.expected)} reports answered, ${of.failed} failed, at most ${of.maxOpen} at a time, p99 ${of.p99.toFixed(0)} ms`;
  return [
    limited(`processor time for ${fleet}`, 100 * of.share, '% of a core', 100, kept),
    limited(
      `longest turn of the event loop, ${fleet}`,
      of.turnMs,
      'ms',
      50,
      `longest garbage collection ${of.collectionMs.toFixed(0)} ms`,
    ),
  ];
}

function figuresOfRows(all: readonly RowTimes[]): Figure[] {
  const [small, large] = [all[0] as RowTimes, all.at(-1) as RowTimes];
  return readsOfRows.map((path, i) => ({
    claim: `GET ${path} at ${large.rows.toLocaleString('en')} rows`,
    value: large.ms[i] as number,
    unit: 'ms',
    against: { name: `ms at ${small.rows.toLocaleString('en')} rows`, value: small.ms[i] as number },
    ratio: (large.ms[i] as number) / (small.ms[i] as number),
    promise: { atMost: 2 },
  }));
}

function figuresOfPruning({ rows, seconds, writes }: Pruning): Figure[] {
  const claim = `longest stall of other writes while ${(2 * rows).toLocaleString('en')} events and points are removed`;
  const note = `p50 ${writes.p50.toFixed(1)}, p99 ${writes.p99.toFixed(1)}; removed within ${seconds.toFixed(0)} s`;
  return [limited(claim, writes.worst, 'ms', 100, note)];
}

function panelsOf(
  connections: readonly Connections[],
  reports: readonly Reports[],
  rows: readonly RowTimes[],
): Panel[] {
  const daemons = (cost: (of: Connections) => number) => connections.map((of) => [of.daemons, cost(of)] as const);
  const instances = (cost: (of: Reports) => number) => reports.map((of) => [of.instances, cost(of)] as const);
  return [
    {
      title: 'Order until its daemon has it',
      sizes: 'daemons',
      unit: 'ms',
      limit: 5,
      lines: [
        { name: 'p50', points: daemons((of) => of.dispatch.p50) },
        { name: 'p99', points: daemons((of) => of.dispatch.p99) },
        { name: 'bare write, p99', points: daemons((of) => of.dispatch.bare.p99) },
      ],
    },
    {
      title: 'Memory for each connection',
      sizes: 'daemons',
      unit: 'KiB',
      limit: 15,
      lines: [{ name: 'resident', points: daemons((of) => of.bytesEach / 1_024) }],
    },
    {
      title: 'Restart: all daemons back',
      sizes: 'daemons',
      unit: 's',
      limit: 10,
      lines: [{ name: 'from kill -9', points: daemons((of) => of.backMs / 1_000) }],
    },
    {
      title: 'Restart: reads of others, p99',
      sizes: 'daemons',
      unit: 'ms',
      limit: 100,
      lines: [
        { name: 'GET /servers', points: daemons((of) => of.storm.servers.p99) },
        { name: 'GET /templates', points: daemons((of) => of.storm.templates.p99) },
      ],
    },
    {
      title: 'Reports every 30 s',
      sizes: 'instances',
      unit: '% of a core',
      limit: 100,
      lines: [{ name: 'processor time', points: instances((of) => 100 * of.share) }],
    },
    {
      title: 'Reads of an account',
      sizes: 'definitions, instances and events',
      unit: 'ms',
      lines: readsOfRows.map((name, i) => ({
        name: `GET ${name}`,
        points: rows.map((of) => [of.rows, of.ms[i] as number] as const),
      })),
    },
  ];
}
