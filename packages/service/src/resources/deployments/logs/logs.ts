import type { LogPosition, ReportedLine } from '@hortus/contract/resources/deployment-reports';
import type { Mask } from '@hortus/template/masking/masking';
import type { MakeRoom } from '../../../quotas/stored-output.ts';
import type { Tx } from '../../../storage/storage.ts';
import { type DeploymentRow, markProgress } from '../store.ts';
import { insertLines } from './store.ts';

/** Limits a log, so that a looping daemon cannot fill the disk; the last line says that it was cut. */
export const MAX_LINES = 20_000;
export const MAX_BYTES = 8 * 2 ** 20;

/** Lines per response. */
export const LINES_IN_RESPONSE = 1_000;

export interface Line {
  /** Null if the daemon sent no valid time. */
  readonly at: number | null;
  readonly level: ReportedLine['level'];
  readonly step: string | null;
  readonly message: string;
}

/** Masks the lines sequentially: in parallel each would wait for its own turn of the event loop. */
export async function readLines(reported: readonly ReportedLine[], mask: Mask): Promise<Line[]> {
  const lines: Line[] = [];
  for (const { at, level, step, message } of reported)
    lines.push({
      at: readTime(at),
      level,
      step: typeof step === 'string' ? await mask(step) : null,
      message: await mask(message),
    });
  return lines;
}

/** Largest time value of a Date (ECMAScript). */
const LAST_MOMENT = 8.64e15;

/** Parses ISO 8601 or milliseconds; null for invalid times such as leap seconds. */
export function readTime(at: string | number | null | undefined): number | null {
  const time = typeof at === 'string' ? Date.parse(at) : (at ?? Number.NaN);
  return time >= 0 && time <= LAST_MOMENT ? time : null;
}

/**
 * Appends lines without gaps in their numbers; the caller has locked the row. A daemon that missed the response sends
 * its lines again, possibly with more; with a position each line is stored once.
 */
export async function appendLines(
  tx: Tx,
  row: DeploymentRow,
  reported: readonly Line[],
  position: LogPosition | null,
  makeRoom: MakeRoom,
): Promise<DeploymentRow> {
  const before = position?.source === row.log_source ? row.log_told : 0;
  const lines = position === null ? reported : reported.slice(Math.max(0, before - position.from));
  const kept = isFull(row) ? [] : withNoteIfFull(row, lines);
  const written = kept.map((line, i) => numbered(tx, row, row.log_lines + i + 1, line));
  const bytes = kept.reduce((sum, { message }) => sum + Buffer.byteLength(message), 0);
  await makeRoom(tx, row.account_id, bytes);
  await insertLines(tx, written);
  return await markProgress(tx, row, {
    log_lines: row.log_lines + written.length,
    log_bytes: row.log_bytes + bytes,
    log_source: position === null ? row.log_source : position.source,
    log_told: position === null ? row.log_told : Math.max(before, position.from + reported.length),
  });
}

/** A log beyond either limit already ends with the note about it. */
const isFull = ({ log_lines, log_bytes }: Pick<DeploymentRow, 'log_lines' | 'log_bytes'>): boolean =>
  log_lines > MAX_LINES || log_bytes > MAX_BYTES;

/** Keeps the lines that fit; the line that exceeds the byte limit is the last. */
function withNoteIfFull(row: DeploymentRow, lines: readonly Line[]): readonly Line[] {
  const kept: Line[] = [];
  let bytes = row.log_bytes;
  for (const line of lines) {
    if (row.log_lines + kept.length === MAX_LINES) return [...kept, full(`${MAX_LINES} lines`)];
    kept.push(line);
    bytes += Buffer.byteLength(line.message);
    if (bytes > MAX_BYTES) return [...kept, full(`${MAX_BYTES} bytes`)];
  }
  return kept;
}

const full = (size: string): Line => ({
  at: null,
  level: 'warn',
  step: null,
  message: `The log has reached its limit of ${size}; later lines are dropped.`,
});

const numbered = (tx: Tx, { id }: DeploymentRow, number: number, line: Line) => ({
  deployment_id: id,
  number,
  at: line.at ?? tx.now,
  level: line.level,
  step: line.step,
  message: line.message,
});
