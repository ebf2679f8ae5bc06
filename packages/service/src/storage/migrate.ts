import type { Kysely } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import { adoptBaseline } from './before-baseline.ts';
import { baseline } from './schema-migrations/0001-baseline.ts';
import { serverDiagnostics } from './schema-migrations/0132-server-diagnostics.ts';
import { sessionsOfTwoHalves } from './schema-migrations/0133-sessions-of-two-halves.ts';
import { type EngineName, queriesOn, type Session } from './session.ts';
import type { Tables } from './tables.ts';

const BASELINE = '0001-baseline';

/** In execution order, which is that of the names; a released migration never changes, nor does its name. */
const migrations: Record<string, (engine: EngineName) => Migration> = {
  [BASELINE]: baseline,
  '0132-server-diagnostics': serverDiagnostics,
  '0133-sessions-of-two-halves': sessionsOfTwoHalves,
};

/** Arbitrary, but the same in every replica. */
const ADVISORY_LOCK = 7_311_884_201;

/** Migrates the schema. The session must be an exclusive connection. */
export async function migrate(engine: EngineName, session: Session): Promise<void> {
  if (engine === 'sqlite') return apply(engine, session);
  // Concurrently starting replicas take turns; the second finds nothing to do.
  await session.run('select pg_advisory_lock($1)', [ADVISORY_LOCK]);
  try {
    await apply(engine, session);
  } finally {
    await session.run('select pg_advisory_unlock($1)', [ADVISORY_LOCK]);
  }
}

/**
 * Applies the missing migrations. A newer program may have applied more already: during an update, replicas of two adjacent
 * versions share the database. Those are left alone, unless they removed something that this program uses. A database from
 * before the baseline has the same schema, but another record.
 */
async function apply(engine: EngineName, session: Session): Promise<void> {
  const db = queriesOn(engine, session);
  let applied = await appliedNames(engine, session);
  if (applied.length > 0 && !applied.includes(BASELINE))
    applied = await adoptBaseline(db, applied, { baseline: BASELINE, later: Object.keys(migrations) });
  const later = applied.filter((name) => !Object.hasOwn(migrations, name));
  if (later.length > 0) await requireTolerable(db);
  // The migrator describes every table first, which takes most of the time of opening an up-to-date database.
  if (Object.keys(migrations).some((name) => !applied.includes(name))) {
    const entries = Object.entries(migrations).map(([name, make]) => [name, make(engine)] as const);
    const known = Object.fromEntries([...entries, ...later.map((name) => [name, NOTHING] as const)]);
    // Ordered by time, the baseline comes after a migration that a database had before it took the baseline over.
    const allowUnorderedMigrations = true;
    await toLatest(new Migrator({ db, provider: { getMigrations: async () => known }, allowUnorderedMigrations }));
  }
  if (later.length === 0) await noteNeeded(db);
}

/** Maximum number of attempts of a migration that lost a deadlock. */
const MAX_ATTEMPTS = 20;

/** Tries again after a deadlock: a replica that serves requests meanwhile locks the same tables in another order. */
async function toLatest(migrator: Migrator): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const { error } = await migrator.migrateToLatest();
    if (error === undefined) return;
    const { code, message } = error as { code?: string; message?: string };
    if (code !== '40P01' || attempt === MAX_ATTEMPTS)
      throw new Error(`The migration of the database schema failed: ${message}`, { cause: error });
  }
}

/** Stands for a migration of a newer program. */
const NOTHING: Migration = { up: async () => {} };

/**
 * The oldest migration that a program must know to work with this schema. Raise it with a migration that removes or renames
 * something, to the first one of the release that stopped using it.
 */
const NEEDED = BASELINE;

async function appliedNames(engine: EngineName, session: Session): Promise<string[]> {
  const exists =
    engine === 'sqlite'
      ? `select name from sqlite_master where name = 'kysely_migration'`
      : `select 1 where to_regclass('kysely_migration') is not null`;
  if ((await session.run(exists, [])).rows.length === 0) return [];
  const { rows } = await session.run('select name from kysely_migration', []);
  return rows.map((row) => (row as { name: string }).name);
}

async function requireTolerable(db: Kysely<Tables>): Promise<void> {
  const { migration } = await db.selectFrom('schema_needs').select('migration').executeTakeFirstOrThrow();
  if (Object.hasOwn(migrations, migration)) return;
  throw new Error(
    `The database belongs to a newer version of Hortus, which removed what this version uses (it needs ${migration}). Install that version, or restore a backup of the database from before its first start.`,
  );
}

async function noteNeeded(db: Kysely<Tables>): Promise<void> {
  await db.updateTable('schema_needs').set({ migration: NEEDED }).where('migration', '<', NEEDED).execute();
}
