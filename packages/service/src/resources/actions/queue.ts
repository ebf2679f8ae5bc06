import { isBuiltIn, isExclusive } from './built-ins.ts';
import { NEVER_STARTED_MS } from './deadlines.ts';
import type { ExecutionRow } from './store.ts';

/** What is done with an unfinished execution when its server has a connection. */
export type Turn =
  /** Handed over for the first time. */
  | 'send'
  /** Handed over once more, to a daemon that answers what it knows already from its journal. */
  | 'send again'
  /** May have been handed over on a connection that is gone, to a daemon that does not remember: nobody starts it twice. */
  | 'doubt'
  /** Under way, or has to wait for what was ordered before. */
  | 'leave';

export interface Link {
  readonly sent_epoch: number;
  /** Whether the daemon keeps a journal, and its name: what another one was handed is not in it. */
  readonly journal: boolean;
  readonly sent_journal: string | null;
  readonly now: number;
}

/**
 * Decides for all unfinished executions of a server, oldest first. Built-in actions of an instance happen one after
 * another and before whatever was ordered after them; the actions of its template do not wait for each other. What only
 * looks after backups waits for nobody.
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
  // Nobody wants Tuesday's flush on Friday: what may not have begun is not begun so late.
  return remembers && link.now < row.created_at + NEVER_STARTED_MS ? 'send again' : 'doubt';
}
