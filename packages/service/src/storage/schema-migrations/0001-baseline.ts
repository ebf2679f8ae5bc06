import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import type { EngineName } from '../session.ts';
import { catalog } from './baseline/catalog.ts';
import { definitionNames } from './baseline/definition-names.ts';
import { definitions } from './baseline/definitions.ts';
import { events } from './baseline/events.ts';
import { gardens } from './baseline/gardens.ts';
import { identity } from './baseline/identity.ts';
import { instances } from './baseline/instances.ts';
import { moves } from './baseline/moves.ts';
import { notifications } from './baseline/notifications.ts';
import { servers } from './baseline/servers.ts';
import { workings } from './baseline/workings.ts';

/** Creates the schema at the time when it replaced the migrations before it, with an index for the filter and order of every list. */
export const baseline = (engine: EngineName): Migration => ({
  async up(db: Kysely<unknown>) {
    for (const statement of statements(engine)) await sql.raw(statement).execute(db);
  },
});

/** Tables come after those that they reference. */
const statements = (engine: EngineName): string[] => [
  ...workings,
  ...events(engine),
  ...identity,
  ...servers,
  ...catalog,
  ...definitions,
  ...instances,
  ...moves,
  ...gardens,
  ...notifications,
  ...definitionNames(engine),
];
