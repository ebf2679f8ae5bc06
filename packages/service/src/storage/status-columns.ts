import type { Tx } from './storage.ts';
import type { Tables } from './tables.ts';

/**
 * The types of the tables forbid writing a status; these two functions are where it happens all the same. `state/` is
 * their only caller. Texts depend on the columns alone, so they are kept and the engines keep them prepared.
 */
const texts = new Map<string, string>();

const place = (tx: Tx, number: number): string => (tx.engine === 'postgres' ? `$${number}` : '?');

/** False when a unique key of the row is taken. */
export async function insertRow(tx: Tx, table: keyof Tables, row: object): Promise<boolean> {
  const columns = Object.keys(row);
  const key = `${tx.engine} insert ${table} ${columns}`;
  let text = texts.get(key);
  if (!text) {
    const names = columns.map((c) => `"${c}"`).join(', ');
    const places = columns.map((_, i) => place(tx, i + 1)).join(', ');
    text = `insert into "${table}" (${names}) values (${places}) on conflict do nothing`;
    texts.set(key, text);
  }
  return (await tx.run(text, Object.values(row), true)).changed === 1;
}

/** False when the row is no longer in the state it was read in. */
export async function updateState(
  tx: Tx,
  table: keyof Tables,
  change: { id: string; column: string; from: string; columns: object },
): Promise<boolean> {
  const columns = Object.keys(change.columns);
  const key = `${tx.engine} update ${table} ${change.column} ${columns}`;
  let text = texts.get(key);
  if (!text) {
    const sets = columns.map((c, i) => `"${c}" = ${place(tx, i + 1)}`).join(', ');
    const [id, from] = [place(tx, columns.length + 1), place(tx, columns.length + 2)];
    text = `update "${table}" set ${sets} where "id" = ${id} and "${change.column}" = ${from}`;
    texts.set(key, text);
  }
  const { changed } = await tx.run(text, [...Object.values(change.columns), change.id, change.from], true);
  return changed === 1;
}
