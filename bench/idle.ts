import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startDocker } from '@hortus/testkit/docker';
import { freePort } from '@hortus/testkit/port';
import { startProcess } from '@hortus/testkit/process';
import { temporaryFolder } from '@hortus/testkit/temporary-folder';
import { until } from '@hortus/testkit/until';
import type { Bench } from './claim.ts';
import { pause } from './service-with-engine.ts';

/** Time for the start to be over and for V8 to return what it needed. */
const SETTLING_MS = 40_000;
const MAX_MEGABYTES = 160;

/** Measures the memory of everything that `npm start` runs on a machine with a Docker engine: launcher, service, daemon and shim. */
export const idle: Bench = {
  name: 'idle',
  async run() {
    await using docker = await startDocker();
    await using folder = temporaryFolder('bench');
    await using started = startProcess([process.execPath, 'scripts/start.mjs'], {
      env: {
        HORTUS_PORT: String(await freePort()),
        HORTUS_DATA_DIR: join(folder.path, 'data'),
        DOCKER_HOST: `unix://${docker.socketPath}`,
        HORTUS_INGRESS_HTTP: String(await freePort()),
        HORTUS_INGRESS_HTTPS: String(await freePort()),
        // The bundles that npm start makes, not those of this run.
        HORTUS_TEST_PROGRAMS: undefined,
      },
    });
    await started.waitForLine('/docs (in a browser)', { within: 120_000 });
    await until(() => withChildren(started.pid).some((pid) => commandOf(pid).includes('exec-shim')), {
      within: 30_000,
      describe: () => `the shim of the daemon; npm start wrote:\n${started.output}`,
    });
    await pause(SETTLING_MS);
    const all = withChildren(started.pid).map((pid) => ({ name: nameOf(commandOf(pid)), size: proportionalOf(pid) }));
    const megabytes = all.reduce((sum, { size }) => sum + size, 0) / 1e6;
    return [
      {
        claim: 'memory of an idle installation',
        value: megabytes,
        unit: 'MB proportional',
        against: { name: 'MB allowed', value: MAX_MEGABYTES },
        ratio: megabytes / MAX_MEGABYTES,
        promise: { atMost: 1 },
        note: all.map(({ name, size }) => `${name} ${(size / 1e6).toFixed(0)}`).join(', '),
      },
    ];
  },
};

function withChildren(pid: number): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
  return [pid, ...children.flatMap(withChildren)];
}

const commandOf = (pid: number): string => readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();

const names = { 'start.mjs': 'launcher', 'exec-shim': 'shim', ' run ': 'daemon', serve: 'service' };

const nameOf = (command: string): string =>
  Object.entries(names).find(([part]) => command.includes(part))?.[1] ?? command;

/** Counts a page that several processes share by their number. */
function proportionalOf(pid: number): number {
  const kilobytes = /^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1];
  return Number(kilobytes) * 1024;
}
