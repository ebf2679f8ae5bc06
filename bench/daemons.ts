import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type RunningProcess, startProcess } from '@hortus/testkit/process';
import { temporaryFolder } from '@hortus/testkit/temporary-folder';
import { until } from '@hortus/testkit/until';
import type { Bench, Figure } from './claim.ts';
import { type Probed, startProbe } from './probe.ts';
import { seedCatalog } from './seed.ts';
import { growServers, serversOfEpoch } from './server-rows.ts';
import { startService } from './service-process.ts';

const DAEMONS = 5_000;
const CROWDS = 2;
const INSTANCES = 500;
const REQUESTS = 1_000;
const WARM_UP = 200;

type Service = Awaited<ReturnType<typeof startService>>;

/** Measures many daemons on one service process: memory each, latency of an action, time until all have reconnected. */
export const daemonsBench: Bench = {
  name: 'daemons',
  async run() {
    await using catalog = temporaryFolder('catalog');
    const env = { HORTUS_CATALOG_DIR: seedCatalog(catalog.path) };
    let service = await startService({ env });
    const crowds: RunningProcess[] = [];
    try {
      const account = (await service.client.call('account.read')).data.account.id;
      const { keys, instances } = growServers(service.folder, account, DAEMONS, INSTANCES);
      const before = service.memory();
      crowds.push(...startCrowds(service, keys));
      const connectMs = await allConnected(service, 1, performance.now());
      const bytes = (service.memory() - before) / DAEMONS;
      const waited = service.waitedMs();
      const times = await dispatchTimes(service, instances, crowds);
      const waitedMs = (service.waitedMs() - waited) / (WARM_UP + REQUESTS);
      const killedAt = performance.now();
      await service.kill();
      const killed = service;
      // Measured from the moment it listens, when all daemons reconnect. Before the larger listen backlog and grouped
      // authentication this was 1,000 to 2,100 ms (p99).
      const templates = startProbe(`${killed.base}/templates`, killed.headers);
      const health = startProbe(`${killed.base}/health`, {});
      service = await startService({ env, again: killed });
      const backMs = await allConnected(service, 2, killedAt);
      const storm = { templates: await templates.stop(), health: await health.stop() };
      return figures({ bytes, connectMs, times, waitedMs, backMs, startMs: service.readyMs, storm });
    } finally {
      for (const crowd of crowds) await crowd.kill();
      await service.stop();
    }
  },
};

interface Measured {
  readonly bytes: number;
  readonly connectMs: number;
  readonly times: readonly number[];
  /** Time per action that the service waited for a core; caused by other load on the machine. */
  readonly waitedMs: number;
  readonly backMs: number;
  readonly startMs: number;
  /** Latencies of other requests while all daemons reconnect. */
  readonly storm: { readonly templates: Probed; readonly health: Probed };
}

function figures({ bytes, connectMs, times, waitedMs, backMs, startMs, storm }: Measured): Figure[] {
  const sorted = [...times].sort((a, b) => a - b);
  const percentile = (share: number) => sorted[Math.ceil(sorted.length * share) - 1] ?? Number.NaN;
  const crowd = `${DAEMONS.toLocaleString('en')} daemons`;
  return [
    {
      claim: `memory for each of ${crowd}`,
      value: bytes / 1024,
      unit: 'KiB',
      note: `all connected within ${(connectMs / 1000).toFixed(1)} s`,
    },
    { claim: `order of an action until its daemon has it, ${crowd}, p50`, value: percentile(0.5), unit: 'ms' },
    {
      claim: `order of an action until its daemon has it, ${crowd}, p99`,
      value: percentile(0.99),
      unit: 'ms',
      note: `the service waited ${waitedMs.toFixed(1)} ms for a core per order`,
    },
    {
      claim: `kill -9 of the service until ${crowd} are back`,
      value: backMs / 1000,
      unit: 's',
      note: `the first answer to others came ${(startMs / 1000).toFixed(1)} s after the new start`,
    },
    {
      claim: `GET /templates while ${crowd} come back, p99`,
      value: storm.templates.p99,
      unit: 'ms',
      note: `p50 ${storm.templates.p50.toFixed(0)}, worst ${storm.templates.worst.toFixed(0)}; GET /health p99 ${storm.health.p99.toFixed(0)}, worst ${storm.health.worst.toFixed(0)}`,
    },
  ];
}

/** Runs on the second core; the service has the first. */
function startCrowds(service: Service, keys: readonly string[]): RunningProcess[] {
  const size = Math.ceil(keys.length / CROWDS);
  return Array.from({ length: CROWDS }, (_, i) => {
    const keyFile = join(service.folder, `crowd-${i}`);
    writeFileSync(keyFile, keys.slice(i * size, (i + 1) * size).join('\n'));
    const url = `${service.base.replace('http', 'ws')}/ws/server`;
    return startProcess([
      'taskset',
      '-c',
      '1',
      process.execPath,
      'bench/daemon-crowd.ts',
      url,
      keyFile,
      String(i * size),
    ]);
  });
}

async function allConnected({ folder }: Service, epoch: number, since: number): Promise<number> {
  let connected = 0;
  const look = async () => {
    connected = serversOfEpoch(folder, epoch);
    return connected === DAEMONS;
  };
  await until(look, { within: 180_000, every: 50, describe: () => `all daemons; ${connected} have come` });
  return performance.now() - since;
}

/** Requests actions one by one, each on another daemon, to measure latency without queueing. */
async function dispatchTimes({ client }: Service, instances: readonly string[], crowds: readonly RunningProcess[]) {
  const times: number[] = [];
  for (let i = 0; i < WARM_UP + REQUESTS; i++) {
    const id = instances[(i * 7) % instances.length] ?? '';
    const begun = process.hrtime.bigint();
    const { execution } = await client.call('actions.execute', {
      params: { id, slug: 'nothing' },
      body: { params: {} },
    });
    const received = await arrival(crowds, execution.id);
    if (i >= WARM_UP) times.push(Number(received - begun) / 1e6);
  }
  return times;
}

async function arrival(crowds: readonly RunningProcess[], executionId: string): Promise<bigint> {
  let at: string | undefined;
  const look = async () => {
    at = crowds
      .map(({ stdout }) => new RegExp(`request ${executionId} (\\d+)\n`).exec(stdout.slice(-1_000))?.[1])
      .find(Boolean);
    return at !== undefined;
  };
  await until(look, { within: 30_000, every: 2, describe: `the request of ${executionId}` });
  return BigInt(at ?? 0);
}
