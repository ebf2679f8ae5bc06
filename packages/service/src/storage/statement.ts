import type { Compilable, Kysely } from 'kysely';
import { type EngineName, queriesOn, type Session } from './session.ts';
import type { Queries } from './storage.ts';
import type { Tables } from './tables.ts';

/** Placeholder of a parameter in a query that is built once and run often. */
class Slot {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

interface Compiled {
  readonly text: string;
  readonly parameters: readonly unknown[];
}

/**
 * A query that is built once per engine and afterwards only filled in. Building one with Kysely costs more than running
 * it on SQLite, so what is on a hot path is a statement; everything else is an ordinary Kysely query.
 *
 *     const byId = statement<{ id: string }, ServerRow>((db, p) => db.selectFrom('servers').selectAll().where('id', '=', p.id));
 *     const [server] = await byId(tx, { id });
 */
export function statement<Parameters extends object, Row = never>(
  build: (db: Kysely<Tables>, slots: Parameters, engine: EngineName) => Compilable<Row>,
): (queries: Queries, parameters: Parameters) => Promise<Row[]> {
  const compiled = new Map<EngineName, Compiled>();
  const slots = new Proxy({} as Parameters, { get: (_, name) => new Slot(String(name)) });
  return async (queries, parameters) => {
    let query = compiled.get(queries.engine);
    if (!query) {
      const { sql: text, parameters: places } = build(builders[queries.engine], slots, queries.engine).compile();
      query = { text, parameters: places };
      compiled.set(queries.engine, query);
    }
    const values = query.parameters.map((v) => (v instanceof Slot ? parameters[v.name as keyof Parameters] : v));
    return (await queries.run(query.text, values, true)).rows as Row[];
  };
}

const nowhere: Session = {
  run() {
    throw new Error('This builder only compiles statements.');
  },
};

const builders: Record<EngineName, Kysely<Tables>> = {
  sqlite: queriesOn('sqlite', nowhere),
  postgres: queriesOn('postgres', nowhere),
};
