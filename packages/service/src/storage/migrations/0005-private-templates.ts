import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Adds private templates: their source, and the spec that was validated. */
export const privateTemplates = (): Migration => ({
  async up(db: Kysely<unknown>) {
    for (const statement of statements) await sql.raw(statement).execute(db);
  },
});

const statements = [
  `alter table templates add column source text`,
  `alter table templates add column validated_hash text`,
  `create index templates_of_owner on templates (owner, id)`,
];
