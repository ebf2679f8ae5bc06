import { join } from 'node:path';
import { temporaryFolder } from '@hortus/testkit/temporary-folder';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { queriesOn } from '../session.ts';
import { SqliteConnection } from '../sqlite/connection.ts';
import { foundation } from './0001-foundation.ts';
import { eventNumbers } from './0003-event-numbers.ts';

it('numbered events keep their numbers, and waiting events get the next ones', async () => {
  await using folder = temporaryFolder('event-numbers');
  const connection = new SqliteConnection(join(folder.path, 'old.db'), { readOnly: false });
  const db = queriesOn('sqlite', { run: async (text, parameters) => connection.run(text, parameters) });
  await foundation('sqlite').up(db);
  for (const [position, seq] of [
    [1, 1],
    [2, 2],
    [5, 3],
    [6, null],
    [7, null],
  ]) {
    await sql`insert into events (position, seq, id, account_id, type, resource_type, resource_id, data, created_at)
      values (${position}, ${seq}, ${`evt_${position}`}, 'acc', 't', 'r', 'x', '{}', 0)`.execute(db);
  }
  await eventNumbers('sqlite').up(db);
  await sql`insert into events (id, account_id, type, resource_type, resource_id, data, created_at)
    values ('evt_new', 'acc', 't', 'r', 'x', '{}', 0)`.execute(db);
  const { rows } = await sql`select seq, id from events where account_id = 'acc' order by seq`.execute(db);
  connection.close();
  expect(rows).toEqual([
    { seq: 1, id: 'evt_1' },
    { seq: 2, id: 'evt_2' },
    { seq: 3, id: 'evt_5' },
    { seq: 6, id: 'evt_6' },
    { seq: 7, id: 'evt_7' },
    { seq: 8, id: 'evt_new' },
  ]);
});
