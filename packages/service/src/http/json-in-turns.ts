import { pausing } from '../process/pausing.ts';

/**
 * Writes an answer as JSON, the records of a list one by one: a hundred of them can contain many megabytes, and the event loop serves
 * others in between. The text is that of `JSON.stringify`.
 */
export async function jsonInTurns(value: unknown): Promise<string> {
  const records = (value as { data?: unknown } | null | undefined)?.data;
  if (!Array.isArray(records) || records.length < 2) return JSON.stringify(value);
  const fields: string[] = [];
  for (const [name, field] of Object.entries(value as object)) {
    const text = name === 'data' ? `[${(await textsOf(records)).join(',')}]` : JSON.stringify(field);
    if (text !== undefined) fields.push(`${JSON.stringify(name)}:${text}`);
  }
  return `{${fields.join(',')}}`;
}

async function textsOf(records: readonly unknown[]): Promise<string[]> {
  const texts: string[] = [];
  const pause = pausing();
  for (const record of records) {
    texts.push(JSON.stringify(record) ?? 'null');
    const turn = pause();
    if (turn) await turn;
  }
  return texts;
}
