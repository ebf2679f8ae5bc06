import { join } from 'node:path';
import { temporaryFolder } from '@hortus/testkit/temporary-folder';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { queriesOn } from '../session.ts';
import { SqliteConnection } from '../sqlite/connection.ts';
import { migrations } from './0060-migrations.ts';
import { bundles } from './0065-bundles.ts';

it('existing transfers are kept, and transfers with a caller at one end can be stored', async () => {
  await using folder = temporaryFolder('bundles');
  const connection = new SqliteConnection(join(folder.path, 'old.db'), { readOnly: false });
  const db = queriesOn('sqlite', { run: async (text, parameters) => connection.run(text, parameters) });
  // What the rows belong to is not of interest here.
  await sql`pragma foreign_keys = off`.execute(db);
  await migrations().up(db);
  const sizes = { chunks: 3, bytes: 12, carried_bytes: 5 };
  await sql`insert into transfers (id, account_id, migration_id, definition_id, instance_uid, storage, volume, mode, from_server_id,
    to_server_id, status, chunks, bytes, carried_bytes, created_at, updated_at) values ('trf_old', 'acc', 'mig', 'def', 'blog',
    'data', 'blog_data', 'import', 'srv_a', 'srv_b', 'completed', 3, 12, 5, 1, 2)`.execute(db);
  await bundles().up(db);
  await sql`insert into transfers (id, account_id, import_id, definition_id, instance_uid, storage, volume, mode, to_server_id,
    status, chunks, bytes, carried_bytes, created_at, updated_at) values ('trf_new', 'acc', 'imp', 'def', 'blog', 'data',
    'blog_data', 'import', 'srv_b', 'pending', 0, 0, 0, 3, 3)`.execute(db);
  const { rows } = await sql`select * from transfers order by created_at`.execute(db);
  connection.close();
  expect(rows).toMatchObject([
    { id: 'trf_old', migration_id: 'mig', import_id: null, from_server_id: 'srv_a', to_server_id: 'srv_b', ...sizes },
    { id: 'trf_new', migration_id: null, import_id: 'imp', from_server_id: null, to_server_id: 'srv_b' },
  ]);
});
