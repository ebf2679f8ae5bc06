import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { askDocker } from '@hortus/testkit/docker-request';
import { temporaryFolder } from '@hortus/testkit/temporary-folder';
import { until } from '@hortus/testkit/until';
import { buildAgent } from '../scripts/agent/build.ts';
import { run } from '../scripts/agent/quiet-run.ts';
import type { Bench, Figure } from './claim.ts';
import { IMAGE } from './seed.ts';
import { pause, type ServiceWithEngine, startServiceWithEngine } from './service-with-engine.ts';

const CONTAINERS = 200;
const AT_ONCE = 4;
/** Two report intervals of half a minute each. */
const WATCHED_MS = 60_000;
/** Time for the start-up work and the discovery of 200 containers to settle. */
const SETTLING_MS = 35_000;

/** Measures the cost of an idle daemon: the released binary with 200 containers to report on. */
export const daemonIdle: Bench = {
  name: 'daemon-idle',
  async run() {
    await using folder = temporaryFolder('agent');
    const binary = join(folder.path, 'hortusd');
    await buildAgent({ arch: process.arch === 'arm64' ? 'arm64' : 'amd64', output: binary });
    await dropFromCache(binary);
    await using system = await startServiceWithEngine({ daemon: [binary] });
    const { pid } = system.daemon;
    await pause(SETTLING_MS);
    const { resident, own } = memoryOf(pid);
    const spare = childrenOf(pid).map((child) => memoryOf(child).own);
    await startContainers(system);
    const engine = Number(readFileSync(system.socketPath.replace(/docker\.sock$/, 'pid'), 'utf8'));
    await pause(SETTLING_MS);
    const [ours, theirs] = await cpuSecondsOf([pid, engine], WATCHED_MS);
    const percent = ((ours ?? Number.NaN) / WATCHED_MS) * 100_000;
    const enginePercent = ((theirs ?? Number.NaN) / WATCHED_MS) * 100_000;
    const busy = memoryOf(pid);
    await everybodyReported(system);
    return [
      figure(`reports on ${CONTAINERS} containers`, percent, '% of a core', 2, {
        note: `the engine spends ${enginePercent.toFixed(1)} % on answering`,
      }),
      figure('memory of an idle daemon', resident / 1e6, 'MB resident', 100, {
        note: `${mega(busy.resident)} with ${CONTAINERS} containers`,
      }),
      figure('memory that is its own', own / 1e6, 'MB private', 30, {
        note: `${mega(busy.own)} with ${CONTAINERS} containers; beside it a spare shim with ${mega(sum(spare))}`,
      }),
    ];
  },
};

const mega = (bytes: number): string => `${(bytes / 1e6).toFixed(0)} MB`;

function figure(claim: string, value: number, unit: string, max: number, more: Partial<Figure> = {}): Figure {
  const against = { name: `${unit} allowed`, value: max };
  return { claim, value, unit, against, ratio: value / max, promise: { atMost: 1 }, ...more };
}

/** Creates the containers through the engine, because only the observation is measured. */
async function startContainers({ socketPath, serverId }: ServiceWithEngine): Promise<void> {
  const ask = async (path: string, body?: object) => {
    const { status, text } = await askDocker(socketPath, 'POST', path, body);
    if (status >= 300) throw new Error(`POST ${path} answered ${status}: ${text}`);
  };
  await ask('/networks/create', { Name: 'bench-idle' });
  let next = 0;
  const plantSome = async () => {
    for (let number = next++; number < CONTAINERS; number = next++) {
      const name = `idle-${number}`;
      const labels = { managed: 'true', server: serverId, instance: name, component: 'main', primary: 'true' };
      await ask(`/containers/create?name=${name}`, {
        Image: IMAGE,
        Labels: Object.fromEntries(Object.entries(labels).map(([key, value]) => [`hortus.${key}`, value])),
        HostConfig: { NetworkMode: 'bench-idle' },
      });
      await ask(`/containers/${name}/start`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, plantSome));
}

/** Proves that the reports were really sent. */
async function everybodyReported({ client, serverId }: ServiceWithEngine): Promise<void> {
  const age = async () => (await client.call('capacity.read', { params: { server_id: serverId } })).data.age_seconds;
  await until(async () => ((await age()) ?? Number.POSITIVE_INFINITY) < 40, { describe: 'a report of the daemon' });
}

/** Returns the CPU seconds that each process used meanwhile. */
async function cpuSecondsOf(pids: readonly number[], ms: number): Promise<number[]> {
  const before = pids.map(cpuSeconds);
  await pause(ms);
  return pids.map((pid, at) => cpuSeconds(pid) - (before[at] ?? 0));
}

/** Reads fields 14 (user) and 15 (system) in hundredths of a second. */
function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

/**
 * Drops the freshly written binary from the page cache. There it lies in large folios, and the kernel counts a whole folio as
 * resident when one page is used: an idle Node of 41 MB shows 76 MB. Servers read the file from disk.
 */
async function dropFromCache(file: string): Promise<void> {
  await run(['dd', `of=${file}`, 'oflag=nocache', 'conv=notrunc,fdatasync', 'count=0']);
}

/** Counts only dirty pages as private; clean pages of the executable can be reclaimed. */
function memoryOf(pid: number): { resident: number; own: number } {
  const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
  const bytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(rollup)?.[1]) * 1024;
  return { resident: bytes('Rss'), own: bytes('Private_Dirty') };
}

const childrenOf = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);
