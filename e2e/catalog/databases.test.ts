import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Greenhouse, hasOwnEngine, openGreenhouse } from './greenhouse.ts';
import { grow } from './plant.ts';

if (hasOwnEngine) {
  let house: Greenhouse;
  beforeAll(async () => {
    house = await openGreenhouse('postgres', 'mariadb');
  }, 300_000);
  afterAll(() => house?.[Symbol.asyncDispose]());

  test('PostgreSQL gives back from a dump what was in it', { timeout: 240_000 }, async () => {
    const plant = await grow(house, 'postgres');
    const { url = '' } = plant.provided();
    const sql = (text: string) => plant.say('psql', url, '--no-align', '--tuples-only', `--command=${text}`);
    await sql(
      "create table beds (id int primary key, plant text); insert into beds values (1, 'it''s mint'), (2, 'thyme')",
    );

    const dump = await plant.run('db-dump');
    const schema = await plant.run('db-dump', { schema_only: true });
    expect(schema).toContain('CREATE TABLE public.beds');
    expect(schema).not.toContain('thyme');
    await sql('drop table beds');
    await plant.put('/tmp/dump.sql', dump);
    await plant.say('psql', url, '--set=ON_ERROR_STOP=1', '--file=/tmp/dump.sql');
    expect(await sql('select id, plant from beds order by id')).toBe("1|it's mint\n2|thyme");

    expect(await plant.run('sizes')).toContain('beds');
    expect(await sql("select last_vacuum is null from pg_stat_user_tables where relname = 'beds'")).toBe('t');
    await plant.run('vacuum');
    expect(await sql("select last_vacuum is null from pg_stat_user_tables where relname = 'beds'")).toBe('f');

    // It is there before it is ended: the session that it holds open counts itself in.
    const asleep = plant.try('psql', url, '--command=select pg_sleep(600)');
    await sql(
      "do $$ begin while (select count(*) from pg_stat_activity where query ~ '^select pg_sleep') = 0 loop perform pg_sleep(0.02); perform pg_stat_clear_snapshot(); end loop; end $$",
    );
    await plant.run('disconnect');
    expect(await asleep).toMatchObject({ text: expect.stringContaining('terminating connection') });
    await plant.harvest();
  });

  test('MariaDB gives back from a dump what was in it', { timeout: 240_000 }, async () => {
    const plant = await grow(house, 'mariadb');
    const { host = '', username = '', password = '', database = '' } = plant.provided('database.mariadb');
    const signIn = [`--host=${host}`, `--user=${username}`, `--password=${password}`, database];
    const sql = (text: string) =>
      plant.say('mariadb', ...signIn, '--skip-column-names', '--batch', `--execute=${text}`);
    await sql(
      "create table beds (id int primary key, plant text); insert into beds values (1, 'it''s mint'), (2, 'thyme')",
    );

    const dump = await plant.run('db-dump');
    const schema = await plant.run('db-dump', { schema_only: true });
    expect(schema).toContain('CREATE TABLE `beds`');
    expect(schema).not.toContain('thyme');
    await sql('drop table beds');
    await plant.put('/tmp/dump.sql', dump);
    await sql('source /tmp/dump.sql');
    expect(await sql('select id, plant from beds order by id')).toBe("1\tit's mint\n2\tthyme");

    expect(await plant.run('sizes')).toContain('beds');
    expect(await plant.run('processes')).toContain('root');
    expect(await plant.run('check')).toMatch(/app\.beds\s+OK/);
    expect(await plant.run('optimize')).toContain('app.beds');
    await plant.harvest();
  });
}
