import type { EngineName } from '../../session.ts';

/**
 * Index of the parts of three letters of the names of definitions, for searches (`storage/name-search.ts`). Names never change,
 * and definitions are never removed.
 */
export const definitionNames = (engine: EngineName): string[] => (engine === 'sqlite' ? onSqlite : onPostgres);

const onSqlite = [
  `create virtual table definition_names using fts5 (text, definition_id unindexed, tokenize = 'trigram', detail = none, columnsize = 0)`,
  // Indexing a name takes a quarter of the time of a creation, so a job does it later.
  `create table unindexed_names (definition_id text primary key) without rowid`,
  `create trigger definitions_unindexed after insert on definitions begin
    insert into unindexed_names values (new.id);
  end`,
];

// The extension belongs to PostgreSQL, but an administrator may have left it out or forbidden it. Searches work without it.
const onPostgres = [
  `do $$ begin
    create extension if not exists pg_trgm;
    create index definitions_searched on definitions using gin (lower(name || '\n' || instance_uid) gin_trgm_ops);
  exception when insufficient_privilege or undefined_file or feature_not_supported then
    raise warning 'pg_trgm is not available: searches read the names of all definitions';
  end $$`,
];
