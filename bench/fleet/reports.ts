import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { startProcess } from '@hortus/testkit/process';
import { temporaryFolder } from '@hortus/testkit/temporary-folder';
import { processorTimeOf } from '../processor-time.ts';
import { seedCatalog } from '../seed.ts';
import { growServers } from '../server-rows.ts';
import { startService } from '../service-process.ts';

const INSTANCES_EACH = 10;
const WARM_UP_MS = 10_000;
const MEASURED_MS = 35_000;

export interface Reports {
  readonly instances: number;
  /** Share of one core that the service uses. */
  readonly share: number;
  readonly responded: number;
  readonly expected: number;
  readonly failed: number;
  /** Most reports that waited for an answer at a time. */
  readonly maxOpen: number;
  readonly p99: number;
  /** Longest turn of the event loop, without garbage collection, and longest collection. */
  readonly turnMs: number;
  readonly collectionMs: number;
}

/** Measures a fleet whose daemons report capacity, usage and state of ten instances each every half minute. */
export async function measureReports(daemons: number): Promise<Reports> {
  await using folder = temporaryFolder('reports');
  const turns = join(folder.path, 'turns');
  const env = { HORTUS_CATALOG_DIR: seedCatalog(join(folder.path, 'catalog')), BENCH_TURNS_SOCKET: turns };
  const service = await startService({ env, nodeArgs: ['--import', join(import.meta.dirname, '../turn-probe.ts')] });
  try {
    const account = (await service.client.call('account.read')).data.account.id;
    const { keys } = growServers(service.folder, account, daemons, daemons, INSTANCES_EACH);
    const file = join(folder.path, 'daemons.json');
    writeFileSync(file, JSON.stringify(fleetOf(service.folder, keys)));
    await using reporter = startProcess([
      'taskset',
      '-c',
      '1',
      process.execPath,
      'bench/fleet/reporter.ts',
      service.base,
      file,
    ]);
    await reporter.waitForLine('reporting');
    const summary = async (number: number) => {
      process.kill(reporter.pid, 'SIGUSR2');
      const line = await reporter.waitForLine(`summary ${number} `);
      return JSON.parse(line.slice(line.indexOf('{'))) as Record<string, number>;
    };
    await sleep(WARM_UP_MS);
    await summary(1);
    await longestTurn(turns);
    const used = processorTimeOf(() => [service.pid]);
    await sleep(MEASURED_MS);
    const share = used() / (MEASURED_MS / 1_000);
    const { responded = 0, failed = 0, maxOpen = 0, p99 = 0 } = await summary(2);
    const expected = (2 * daemons * MEASURED_MS) / 30_000;
    return {
      instances: daemons * INSTANCES_EACH,
      share,
      responded,
      expected,
      failed,
      maxOpen,
      p99,
      ...(await longestTurn(turns)),
    };
  } finally {
    await service.stop();
  }
}

/** Names the servers with their keys and instances. */
function fleetOf(folder: string, keys: readonly string[]) {
  const db = new DatabaseSync(join(folder, 'hortus.db'), { readOnly: true, timeout: 10_000 });
  const servers = db.prepare('select id from servers order by cast(substr(name, 7) as integer)').all() as {
    id: string;
  }[];
  const names = db.prepare('select container_name as uid from instances where server_id = ?');
  const fleet = servers.map(({ id }, i) => ({
    id,
    key: keys[i],
    uids: (names.all(id) as { uid: string }[]).map(({ uid }) => uid),
  }));
  db.close();
  return fleet;
}

const longestTurn = async (socket: string) =>
  JSON.parse(await text(connect(socket))) as { readonly turnMs: number; readonly collectionMs: number };
