import type { Tx } from './storage.ts';
import type { Tables } from './tables.ts';

// The types of the tables forbid writing a status; these two functions are the exception. `state/` is their only
// caller.

/** Returns false if a unique key of the row is in use. */
export async function insertRow(tx: Tx, table: keyof Tables, row: object): Promise<boolean> {
  const text = keptText(`${tx.engine} insert ${table}`, Object.keys(row), (columns) => {
    const names = columns.map((c) => `"${c}"`).join(', ');
    const places = columns.map((_, i) => place(tx, i + 1)).join(', ');
    return `insert into "${table}" (${names}) values (${places}) on conflict do nothing`;
  });
  return (await tx.run(text, Object.values(row), true)).changed === 1;
}

/** Returns false if the row is no longer in the state in which it was read. */
export async function updateState(
  tx: Tx,
  table: keyof Tables,
  change: { id: string; column: string; from: string; columns: object },
): Promise<boolean> {
  const text = keptText(`${tx.engine} update ${table} ${change.column}`, Object.keys(change.columns), (columns) => {
    const sets = columns.map((c, i) => `"${c}" = ${place(tx, i + 1)}`).join(', ');
    const [id, from] = [place(tx, columns.length + 1), place(tx, columns.length + 2)];
    return `update "${table}" set ${sets} where "id" = ${id} and "${change.column}" = ${from}`;
  });
  const { changed } = await tx.run(text, [...Object.values(change.columns), change.id, change.from], true);
  return changed === 1;
}

const place = (tx: Tx, number: number): string => (tx.engine === 'postgres' ? `$${number}` : '?');

interface Kept {
  readonly columns: readonly string[];
  readonly text: string;
}

/**
 * Caches texts by their columns, so that the engines keep them prepared. Each statement has one or a few sets of
 * columns: comparing their names is faster than creating a key.
 */
const kept = new Map<string, readonly Kept[]>();

function keptText(of: string, columns: readonly string[], print: (columns: readonly string[]) => string): string {
  const known = kept.get(of) ?? [];
  for (const kept of known) if (same(kept.columns, columns)) return kept.text;
  const text = print(columns);
  kept.set(of, [...known, { columns, text }]);
  return text;
}

const same = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((name, at) => name === b[at]);
