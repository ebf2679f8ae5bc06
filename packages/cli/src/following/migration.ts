import { Changes } from '@hortus/client/changes';
import type { Client } from '@hortus/client/client';
import { migrationSteps } from '@hortus/contract/actions/steps';
import { migrationMachine } from '@hortus/contract/machines/migration';
import type { MigrationDetail, MigrationLine } from '@hortus/contract/resources/migrations';
import { safeLine } from '../output/safe-text.ts';
import { disk, lasting } from '../output/words.ts';
import type { World } from '../world/world.ts';
import { poll, type WaitOptions } from './poll.ts';

/** Lines of the log and copied bytes are no events; they are read in this interval. */
const PROGRESS_MS = 1_000;

/** True once the instance serves again, on the target or the source; cleaning the source does not count. */
const isSettled = (status: string): boolean =>
  status === 'switched' || (migrationMachine.final as readonly string[]).includes(status);

/** Prints log lines and copy progress until the migration has settled. */
export async function followMigration(
  client: Client,
  id: string,
  world: World,
  waitOptions: WaitOptions,
  show: boolean,
): Promise<MigrationDetail> {
  let last: MigrationDetail | undefined;
  let seen = 0;
  let copied = '';
  const ask = async () => (await client.call('migrations.read', { params: { id } })).data;
  using changes = new Changes(client, id);
  const announced = { changes, everyMs: PROGRESS_MS };
  for await (const migration of poll(world, waitOptions, ask, ({ status }) => isSettled(status), announced)) {
    last = migration;
    const news = migration.log.slice(seen).map(logLine);
    seen = migration.log.length;
    const copying = copyLine(migration);
    if (copying !== copied && copying !== '') news.push(copying);
    copied = copying;
    if (show) world.terminal.out(news.map((line) => `${line}\n`).join(''));
  }
  if (last === undefined) throw new Error('The poll ended without an answer.');
  return last;
}

const width = Math.max(...Object.keys(migrationSteps).map((step) => step.length));

const logLine = ({ at, step, message }: MigrationLine): string =>
  `${at.slice(11, 19)}  ${step.padEnd(width)}  ${safeLine(message)}`;

function copyLine({ transfers }: MigrationDetail): string {
  const running = transfers.filter(({ status }) => status === 'running');
  if (running.length === 0) return '';
  const bytes = running.reduce((sum, item) => sum + item.bytes, 0);
  return `          ${''.padEnd(width)}  ${disk(bytes)} so far`;
}

export const downtime = ({ downtime_ms }: MigrationDetail): string =>
  downtime_ms === null || downtime_ms === 0 ? 'No downtime.' : `Downtime: ${lasting(downtime_ms)}.`;
