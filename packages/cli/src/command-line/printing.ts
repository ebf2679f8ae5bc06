import type { Exit } from '../exit-codes.ts';
import { printJson } from '../output/json.ts';
import { type Column, facts, table } from '../output/table.ts';
import type { Call } from './command.ts';

type Where = Pick<Call, 'json' | 'world'>;

/** Prints records as a table or JSON, or a message if there are none. */
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

/** Prints one record with a label per line. */
export function printRecord(
  { json, world: { terminal } }: Where,
  record: unknown,
  labelled: Parameters<typeof facts>[1],
): Exit {
  if (json) printJson(terminal, record);
  else terminal.out(facts(terminal, labelled));
  return 'ok';
}

/** Prints the result of a change as a sentence or JSON. */
export function printDone({ json, world: { terminal } }: Where, record: unknown, sentence: string): Exit {
  if (json) printJson(terminal, record);
  else terminal.out(`${sentence}\n`);
  return 'ok';
}
