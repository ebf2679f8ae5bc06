import type { ServerReading } from '@hortus/contract/resources/metrics';
import { paint } from '../output/paint.ts';
import { status } from '../output/status.ts';
import { type Column, cropped, table } from '../output/table.ts';
import { count, disk, memory } from '../output/words.ts';
import type { Screen } from '../world/screen.ts';
import type { Terminal } from '../world/terminal.ts';
import { type InstanceRow, instanceRows, isUp, type Sort, serverRows, shareOf, type Watched } from './rows.ts';

const NONE = '–';
const percent = (value: number) => `${value.toFixed(1)} %`;
const rate = (bytes: number) => `${disk(bytes)}/s`;

const serverColumns = (terminal: Terminal): Column<Watched>[] => {
  const current =
    <Value>(pick: (reading: ServerReading) => Value | null, text: (value: Value) => string) =>
    (row: Watched) => {
      const value = isUp(row) && row.reading ? pick(row.reading) : null;
      return value === null ? NONE : text(value);
    };
  const part = (size: (bytes: number) => string) => (usage: { used: number; free: number }) =>
    `${Math.round(100 * shareOf(usage))} % of ${size(usage.used + usage.free)}`;
  const right = true;
  return [
    { title: 'Server', text: ({ server }) => server.name },
    { title: 'Status', painted: (row) => status(terminal, isUp(row) ? row.server.status : 'offline') },
    {
      title: 'CPU',
      right,
      text: current(
        ({ cpu }) => cpu,
        ({ cores, used_percent }) => `${percent(used_percent)} of ${cores}`,
      ),
    },
    { title: 'Memory', right, text: current((item) => item.memory, part(memory)) },
    { title: 'Disk', right, text: current((item) => item.disk, part(disk)) },
    { title: 'Received', right, text: current((item) => item.network?.received_bytes_per_second ?? null, rate) },
    { title: 'Sent', right, text: current((item) => item.network?.sent_bytes_per_second ?? null, rate) },
  ];
};

const instanceColumns: Column<InstanceRow>[] = [
  { title: 'Instance', text: ({ name }) => name },
  { title: 'Server', text: ({ server }) => server },
  { title: 'CPU', right: true, text: ({ cpu_percent }) => percent(cpu_percent) },
  { title: 'Memory', right: true, text: ({ memory_bytes }) => memory(memory_bytes) },
  { title: 'Received', right: true, text: (row) => rate(row.received_bytes_per_second) },
  { title: 'Sent', right: true, text: (row) => rate(row.sent_bytes_per_second) },
  { title: 'Read', right: true, text: (row) => rate(row.read_bytes_per_second) },
  { title: 'Written', right: true, text: (row) => rate(row.written_bytes_per_second) },
];

const NO_INSTANCE = 'No running instance has reported yet.';

/** Both tables, for a pipe. */
export function tables(terminal: Terminal, watched: readonly Watched[], sort: Sort): string {
  const rows = instanceRows(watched, sort);
  const instances = rows.length === 0 ? `${NO_INSTANCE}\n` : table(terminal, instanceColumns, rows);
  return `${table(terminal, serverColumns(terminal), serverRows(watched, sort))}\n${instances}`;
}

/** One frame of the screen: never wider or higher than it. */
export function frame(
  terminal: Terminal,
  { width, height }: Pick<Screen, 'width' | 'height'>,
  watched: readonly Watched[],
  sort: Sort,
): string[] {
  const servers = lines(table(terminal, serverColumns(terminal), serverRows(watched, sort)));
  const rows = instanceRows(watched, sort);
  const instances = rows.length === 0 ? [NO_INSTANCE] : lines(table(terminal, instanceColumns, rows));
  const old = watched.filter(({ delay }) => delay === 'old_daemon' || delay === 'unreachable').length;
  const title = [
    `${count(watched.length, 'server')}, ${count(rows.length, 'instance')}`,
    `by ${sort}`,
    ...(old > 0 ? [`${old} not live`] : []),
    's sort, q quit',
  ].join(' · ');
  // The title and two empty lines; servers get at most half of the rest.
  const room = Math.max(0, height - 3);
  const shownServers = fitting(
    servers,
    Math.min(servers.length, Math.max(Math.floor(room / 2), room - instances.length)),
  );
  const all = [
    paint(terminal, 'bold', cropped(title, width)),
    '',
    ...shownServers,
    '',
    ...fitting(instances, room - shownServers.length),
  ];
  return all.slice(0, Math.max(1, height)).map((line) => cropped(line, width));
}

const lines = (text: string): string[] => text.replace(/\n$/, '').split('\n');

/** Cuts a table to a number of lines and says how many rows are left out. */
function fitting(all: readonly string[], max: number): string[] {
  if (all.length <= max) return [...all];
  const shown = all.slice(0, Math.max(0, max - 1));
  return max < 1 ? [] : [...shown, `… ${all.length - shown.length} more`];
}
