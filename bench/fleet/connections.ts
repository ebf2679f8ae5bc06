import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type RunningProcess, startProcess } from '@hortus/testkit/process';
import { temporaryFolder } from '@hortus/testkit/temporary-folder';
import { until } from '@hortus/testkit/until';
import { type Probed, startProbe } from '../probe.ts';
import { seedCatalog } from '../seed.ts';
import { growServers, serversOfEpoch } from '../server-rows.ts';
import { startService } from '../service-process.ts';
import { type DispatchTimes, measureDispatch } from './dispatch.ts';

const CROWDS = 2;
const INSTANCES = 500;

type Service = Awaited<ReturnType<typeof startService>>;

export interface Connections {
  readonly daemons: number;
  readonly bytesEach: number;
  readonly connectMs: number;
  readonly dispatch: DispatchTimes;
  /** From kill -9 of the service until all daemons have reconnected to the next one. */
  readonly backMs: number;
  readonly startMs: number;
  /** Latencies of other requests from kill -9 until all daemons are back. */
  readonly storm: { readonly servers: Probed; readonly templates: Probed; readonly health: Probed };
}

/** Measures many daemons on one service process: memory each, latency of an action, time until all have reconnected. */
export async function measureConnections(daemons: number, nodeArgs: string[] = []): Promise<Connections> {
  await using catalog = temporaryFolder('catalog');
  const env = { HORTUS_CATALOG_DIR: seedCatalog(catalog.path) };
  const first = await startService({ env, nodeArgs });
  let service: Service = first;
  const crowds: RunningProcess[] = [];
  try {
    const account = (await service.client.call('account.read')).data.account.id;
    const { keys, instances } = growServers(service.folder, account, daemons, INSTANCES);
    const before = service.memory();
    crowds.push(...startCrowds(service, keys));
    const connectMs = await allConnected(service, { daemons, epoch: 1, since: performance.now() });
    const bytesEach = (service.memory() - before) / daemons;
    const dispatch = await measureDispatch(service, instances, crowds);
    // Every daemon has then learned how to spread its reconnect.
    for (const crowd of crowds) await crowd.waitForLine('all pinged', { within: 60_000 });
    const since = performance.now();
    await first.kill();
    const servers = startProbe(`${first.base}/servers`, first.headers, 20);
    const templates = startProbe(`${first.base}/templates`, first.headers, 20);
    const health = startProbe(`${first.base}/health`, {}, 20);
    service = await startService({ env, nodeArgs, again: first });
    const backMs = await allConnected(service, { daemons, epoch: 2, since });
    const storm = { servers: await servers.stop(), templates: await templates.stop(), health: await health.stop() };
    return { daemons, bytesEach, connectMs, dispatch, backMs, startMs: service.readyMs, storm };
  } finally {
    for (const crowd of crowds) await crowd.kill();
    await service.stop();
    await first.stop();
  }
}

/** Runs on the second core, after this process; the service has the first. */
function startCrowds(service: Service, keys: readonly string[]): RunningProcess[] {
  const size = Math.ceil(keys.length / CROWDS);
  return Array.from({ length: CROWDS }, (_, i) => {
    const keyFile = join(service.folder, `crowd-${i}`);
    writeFileSync(keyFile, keys.slice(i * size, (i + 1) * size).join('\n'));
    const url = `${service.base.replace('http', 'ws')}/ws/server`;
    const crowd = [process.execPath, 'bench/fleet/crowd.ts', url, keyFile, String(i * size)];
    return startProcess(['nice', '-n', '10', 'taskset', '-c', '1', ...crowd]);
  });
}

async function allConnected(
  { folder }: Service,
  { daemons, epoch, since }: { readonly daemons: number; readonly epoch: number; readonly since: number },
): Promise<number> {
  let connected = 0;
  const sample = async () => {
    connected = serversOfEpoch(folder, epoch);
    return connected === daemons;
  };
  await until(sample, { within: 180_000, every: 50, describe: () => `all daemons; ${connected} have come` });
  return performance.now() - since;
}
