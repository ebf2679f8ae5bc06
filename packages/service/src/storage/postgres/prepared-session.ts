import type pg from 'pg';
import type { Rows, Session } from '../session.ts';

/** A newer version has added a column meanwhile to a table whose columns a prepared statement returns. */
export const isStalePlan = (error: unknown): boolean => {
  const { code, message = '' } = (error ?? {}) as { code?: string; message?: string };
  return code === '0A000' && message.startsWith('cached plan must not change');
};

const names = new Map<string, string>();
let named = 0;
/** Every connection keeps what it has prepared, and callers choose combinations of filters. */
const MAX_NAMES = 2_000;

/**
 * Returns one name per text and process, so that PostgreSQL parses repeated statements once per connection; undefined
 * when there are too many.
 */
function nameOf(text: string): string | undefined {
  let name = names.get(text);
  if (!name && names.size < MAX_NAMES) {
    name = `hortus_${named++}`;
    names.set(text, name);
  }
  return name;
}

/** Runs statements on one connection. */
export function sessionOn(client: pg.PoolClient): Session {
  return {
    async run(text, parameters, reused): Promise<Rows> {
      const values = parameters as unknown[];
      const name = reused ? nameOf(text) : undefined;
      try {
        const result = await client.query(name === undefined ? { text, values } : { name, text, values });
        return { rows: result.rows ?? [], changed: result.rowCount ?? 0 };
      } catch (error) {
        // The next run prepares the statement under another name; no connection can replace the plan of a name.
        if (isStalePlan(error) && names.get(text) === name) names.delete(text);
        throw error;
      }
    },
  };
}
