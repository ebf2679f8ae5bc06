import pg from 'pg';
import { expect, test } from 'vitest';
import { createDatabase, sharedPostgresUrl } from './database.ts';

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  return client;
}

test('databases created at once are separate', async () => {
  const databases = await Promise.all([createDatabase(), createDatabase(), createDatabase(sharedPostgresUrl())]);
  for (const database of databases) {
    const client = await connect(database.url);
    await client.query('create table same_name (id int)');
    await client.end();
  }
  await Promise.all(databases.map((database) => database.drop()));
});

test('dropping a database with open connections works, and dropping twice succeeds', async () => {
  const database = await createDatabase();
  await connect(database.url);
  await database.drop();
  await database.drop();
  await expect(connect(database.url)).rejects.toThrow('does not exist');
});
