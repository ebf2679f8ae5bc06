import { type Compilable, type Kysely, type RawBuilder, sql } from 'kysely';
import { type EngineName, queriesOn, type Session } from './session.ts';
import type { Queries } from './storage.ts';
import type { Tables } from './tables.ts';

/** Placeholder of a parameter in a query that is built once and run often. */
class Slot {
  readonly name: string;
  /** Place in a parameter that is an array. */
  readonly place: number | undefined;
  constructor(name: string, place?: number) {
    this.name = name;
    this.place = place;
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
  return (queries, parameters) => {
    let query = compiled.get(queries.engine);
    if (!query) {
      query = compile(build(builders[queries.engine], slots, queries.engine));
      compiled.set(queries.engine, query);
    }
    return run(queries, query, parameters);
  };
}

/**
 * Parameters of which only `Deciding` have their values while the query is built. The others are placeholders: they can be bound and
 * compared with null and undefined, but the compiler refuses to compare them with a value, which would fix it in the text.
 */
export type Slots<Parameters, Deciding extends keyof Parameters = never> = {
  readonly [Name in keyof Parameters]: Name extends Deciding
    ? Parameters[Name]
    : Extract<Parameters[Name], null | undefined> | Bound<NonNullable<Parameters[Name]>>;
};

type Bound<Value> = [Value] extends [readonly (infer Element)[]] ? readonly RawBuilder<Element>[] : RawBuilder<Value>;

/** Callers choose the values of deciding fields, so the number of texts is bounded. */
const MAX_SHAPES = 200;

/**
 * A statement whose text depends on which of its parameters are given, as with the filters of a list, on the lengths of arrays, and on
 * the values of those in `decidedBy`. Each text is built once.
 */
export function shapedStatement<
  Parameters extends object,
  Row = never,
  const Deciding extends keyof Parameters & string = never,
>(
  build: (db: Kysely<Tables>, slots: Slots<Parameters, Deciding>, engine: EngineName) => Compilable<Row>,
  decidedBy: readonly Deciding[] = [],
): (queries: Queries, parameters: Parameters) => Promise<Row[]> {
  const compiled = { sqlite: new Map<string, Compiled>(), postgres: new Map<string, Compiled>() };
  const decides = (name: string) => (decidedBy as readonly string[]).includes(name);
  return (queries, parameters) => {
    const shapes = compiled[queries.engine];
    const shape = shapeOf(parameters, decides);
    let query = shapes.get(shape);
    if (!query) {
      const slots = slotsFor(parameters, decides) as Slots<Parameters, Deciding>;
      query = compile(build(builders[queries.engine], slots, queries.engine));
      if (shapes.size >= MAX_SHAPES) shapes.clear();
      shapes.set(shape, query);
    }
    return run(queries, query, parameters);
  };
}

function shapeOf(parameters: object, decides: (name: string) => boolean): string {
  let shape = '';
  for (const [name, value] of Object.entries(parameters)) {
    if (value === undefined) continue;
    if (decides(name)) shape += ` ${name}=${JSON.stringify(value)}`;
    else shape += value === null ? ` ${name}=null` : Array.isArray(value) ? ` ${name}[${value.length}]` : ` ${name}`;
  }
  return shape;
}

const slotsFor = (parameters: object, decides: (name: string) => boolean): object =>
  Object.fromEntries(
    Object.entries(parameters).map(([name, value]) => [
      name,
      value === undefined || value === null || decides(name) ? value : slotFor(name, value),
    ]),
  );

const slotFor = (name: string, value: unknown) =>
  Array.isArray(value) ? value.map((_, place) => sql.val(new Slot(name, place))) : sql.val(new Slot(name));

function compile(built: Compilable<unknown>): Compiled {
  const { sql: text, parameters } = built.compile();
  return { text, parameters };
}

async function run<Row>(queries: Queries, { text, parameters: places }: Compiled, parameters: object): Promise<Row[]> {
  const values = places.map((value) => (value instanceof Slot ? boundTo(parameters, value) : value));
  return (await queries.run(text, values, true)).rows as Row[];
}

function boundTo(parameters: object, { name, place }: Slot): unknown {
  const value = (parameters as Record<string, unknown>)[name];
  return place === undefined ? value : (value as readonly unknown[])[place];
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
