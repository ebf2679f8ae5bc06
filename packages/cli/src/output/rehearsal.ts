import type { Rehearsal } from '@hortus/contract/resources/rehearsals';
import type { Terminal } from '../world/terminal.ts';
import { paint } from './paint.ts';
import { safeLine } from './safe-text.ts';
import { facts } from './table.ts';
import { disk, lasting } from './words.ts';

/** What failed, by the reason. */
const failed: Readonly<Record<NonNullable<Rehearsal['reason']>, string>> = {
  backup: 'the backup failed',
  restore: 'the data could not be restored',
  deployment: 'the change failed',
  smoke: 'the smoke test failed',
  refused: 'it was refused',
  timeout: 'it did not finish in time',
  cancelled: 'it was cancelled',
  server_removed: 'its server was removed',
};

/** Returns the result of a rehearsal in one sentence. */
export function verdict({ kind, instance_name, from_version, to_version, status, reason }: Rehearsal): string {
  const what =
    kind === 'clone'
      ? `The copy of ${instance_name}`
      : `The rehearsal of ${instance_name} from ${from_version} to ${to_version}`;
  if (status === 'passed') return `${what} ${kind === 'clone' ? 'runs' : 'passed'}.`;
  if (status === 'failed') return `${what} failed: ${reason ? failed[reason] : 'it failed'}.`;
  return `${what} is ${status}.`;
}

/** Returns what was found, how long it took and how much data there was. */
export function report(terminal: Terminal, rehearsal: Rehearsal): string {
  const {
    error,
    last_lines,
    durations_ms: took,
    data_bytes,
    backup_id,
    copy_instance_id,
    keep_until,
    removed,
  } = rehearsal;
  const time = (ms: number | null) => (ms === null ? null : lasting(ms));
  const shown = facts(terminal, [
    ['Error', error],
    ['Data', backup_id === null ? 'none' : `${disk(data_bytes)} from ${backup_id}`],
    ['Backed up in', time(took.backup)],
    ['Restored in', time(took.restore)],
    ['Applied in', time(took.apply)],
    ['Tested in', time(took.test)],
    ['Copy', removed ? 'removed' : copy_instance_id],
    ['Kept until', removed ? null : keep_until],
  ]);
  const lines = last_lines.map((line) => `  ${paint(terminal, 'dim', '|')} ${safeLine(line)}\n`).join('');
  return `${shown}${lines === '' ? '' : `Last lines of what failed:\n${lines}`}`;
}
