import { join } from 'node:path';
import { temporaryFolder } from '@hortus/testkit/temporary-folder';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { queriesOn } from '../session.ts';
import { SqliteConnection } from '../sqlite/connection.ts';
import { reusableUids } from './0077-reusable-uids.ts';

it('existing definitions keep their uid and their name on the server', async () => {
  await using folder = temporaryFolder('uids');
  const connection = new SqliteConnection(join(folder.path, 'old.db'), { readOnly: false });
  const db = queriesOn('sqlite', { run: async (text, parameters) => connection.run(text, parameters) });
  const before = [
    `create table definitions (id text primary key, account_id text, instance_uid text not null, container_name text not null,
      server_id text, tenant_id text, test_id text, status text not null, unique (account_id, instance_uid))`,
    `create index definitions_of_server on definitions (server_id, id)`,
    `create index definitions_of_tenant on definitions (tenant_id, id) where tenant_id is not null`,
    `create table imports (id text primary key)`,
    `insert into definitions values ('def_1', 'acc', 'blog', 'blog', 'srv', null, null, 'active')`,
    `insert into definitions values ('def_2', 'acc', 'shop', 'shop', 'srv', null, null, 'archived')`,
  ];
  for (const statement of before) await sql.raw(statement).execute(db);
  await reusableUids().up(db);
  const { rows } = await sql`select id, instance_uid, container_name from definitions order by id`.execute(db);
  expect(rows).toEqual([
    { id: 'def_1', instance_uid: 'blog', container_name: 'blog' },
    { id: 'def_2', instance_uid: 'shop', container_name: 'shop' },
  ]);
  const add = (uid: string, name: string) =>
    sql`insert into definitions (id, account_id, instance_uid, container_name, status)
      values (${name}, 'acc', ${uid}, ${name}, 'pending')`.execute(db);
  await add('shop', 'shop-2');
  await expect(add('shop', 'shop-3')).rejects.toThrow(/unique/i);
  await expect(add('other', 'shop')).rejects.toThrow(/unique/i);
  connection.close();
});
