import type { Call } from './command.ts';
import type { Exit } from './exit-codes.ts';
import { printJson } from './output/json.ts';
import { type Column, facts, table } from './output/table.ts';

type Where = Pick<Call, 'json' | 'world'>;

/** Records as a table, or as the service answers them; what is said when there are none. */
export function printList<Row>(
  { json, world: { terminal } }: Where,
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  none: string,
): Exit {
  if (json) printJson(terminal, rows);
  else terminal.out(rows.length === 0 ? `${none}\n` : table(terminal, columns, rows));
  return 'ok';
}

/** One record, label by label. */
export function printRecord(
  { json, world: { terminal } }: Where,
  record: unknown,
  labelled: Parameters<typeof facts>[1],
): Exit {
  if (json) printJson(terminal, record);
  else terminal.out(facts(terminal, labelled));
  return 'ok';
}

/** What a change came to, in a sentence. */
export function printDone({ json, world: { terminal } }: Where, record: unknown, sentence: string): Exit {
  if (json) printJson(terminal, record);
  else terminal.out(`${sentence}\n`);
  return 'ok';
}
