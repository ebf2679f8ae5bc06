import { isBuiltIn, isExclusive } from '@hortus/contract/actions/built-in-actions';
import { NEVER_STARTED_MS } from './deadlines.ts';
import type { ExecutionRow } from './store.ts';

/** What to do with an unfinished execution when its server is connected. */
export type Turn =
  /** Send for the first time. */
  | 'send'
  /** Send again: the daemon has a journal and answers what it already knows. */
  | 'send again'
  /** May have been sent on a lost connection to a daemon without a journal; never started twice. */
  | 'doubt'
  /** Is running, or waits for earlier orders. */
  | 'leave';

export interface Link {
  readonly sent_epoch: number;
  /** Whether the daemon keeps a journal, and its id: another journal does not contain earlier orders. */
  readonly journal: boolean;
  readonly sent_journal: string | null;
  readonly now: number;
}

/**
 * Decides for all unfinished executions of a server, oldest first. Built-in actions of an instance run one at a time
 * and block later orders; template actions do not block each other. Actions that touch only backups never wait.
 */
export function turns(rows: readonly ExecutionRow[], link: Link): Turn[] {
  const busy = new Set<string>();
  return rows.map((row) => {
    const place = row.instance_id ?? row.server_id;
    const waits = busy.has(place);
    const exclusive = isExclusive(row.slug);
    if (exclusive) busy.add(place);
    return turn(row, waits && !(isBuiltIn(row.slug) && !exclusive), link);
  });
}

function turn(row: ExecutionRow, waits: boolean, link: Link): Turn {
  if (row.status === 'pending') return waits ? 'leave' : 'send';
  if (row.status === 'sent' && row.sent_epoch === null) return 'send';
  if (row.sent_epoch === link.sent_epoch) return 'leave';
  const remembers = link.journal && row.sent_journal === link.sent_journal;
  if (row.status === 'running') return remembers ? 'send again' : 'leave';
  // Do not start an action long after it was ordered.
  return remembers && link.now < row.created_at + NEVER_STARTED_MS ? 'send again' : 'doubt';
}
