import { afterAll, beforeAll, expect, test } from 'vitest';
import { type CatalogInstallation, hasOwnEngine, openCatalogInstallation } from './catalog-installation.ts';
import { deploySpecies } from './deployed-species.ts';

if (hasOwnEngine) {
  let catalogInstallation: CatalogInstallation;
  beforeAll(async () => {
    catalogInstallation = await openCatalogInstallation('postgres', 'mariadb');
  }, 300_000);
  afterAll(() => catalogInstallation?.[Symbol.asyncDispose]());

  test('PostgreSQL restores a dump', { timeout: 240_000 }, async () => {
    const deployed = await deploySpecies(catalogInstallation, 'postgres');
    const { url = '' } = deployed.provided();
    const sql = (text: string) => deployed.say('psql', url, '--no-align', '--tuples-only', `--command=${text}`);
    await sql(
      "create table beds (id int primary key, plant text); insert into beds values (1, 'it''s mint'), (2, 'thyme')",
    );

    const dump = await deployed.run('db-dump');
    const schema = await deployed.run('db-dump', { schema_only: true });
    expect(schema).toContain('CREATE TABLE public.beds');
    expect(schema).not.toContain('thyme');
    await sql('drop table beds');
    await deployed.put('/tmp/dump.sql', dump);
    await deployed.say('psql', url, '--set=ON_ERROR_STOP=1', '--file=/tmp/dump.sql');
    expect(await sql('select id, plant from beds order by id')).toBe("1|it's mint\n2|thyme");

    expect(await deployed.run('sizes')).toContain('beds');
    expect(await sql("select last_vacuum is null from pg_stat_user_tables where relname = 'beds'")).toBe('t');
    await deployed.run('vacuum');
    expect(await sql("select last_vacuum is null from pg_stat_user_tables where relname = 'beds'")).toBe('f');

    // Waits for the session before ending it.
    const asleep = deployed.try('psql', url, '--command=select pg_sleep(600)');
    await sql(
      "do $$ begin while (select count(*) from pg_stat_activity where query ~ '^select pg_sleep') = 0 loop perform pg_sleep(0.02); perform pg_stat_clear_snapshot(); end loop; end $$",
    );
    await deployed.run('disconnect');
    expect(await asleep).toMatchObject({ text: expect.stringContaining('terminating connection') });
    await deployed.checkAndRelease();
  });

  test('MariaDB restores a dump', { timeout: 240_000 }, async () => {
    const deployed = await deploySpecies(catalogInstallation, 'mariadb');
    const { host = '', username = '', password = '', database = '' } = deployed.provided('database.mariadb');
    const signIn = [`--host=${host}`, `--user=${username}`, `--password=${password}`, database];
    const sql = (text: string) =>
      deployed.say('mariadb', ...signIn, '--skip-column-names', '--batch', `--execute=${text}`);
    await sql(
      "create table beds (id int primary key, plant text); insert into beds values (1, 'it''s mint'), (2, 'thyme')",
    );

    const dump = await deployed.run('db-dump');
    const schema = await deployed.run('db-dump', { schema_only: true });
    expect(schema).toContain('CREATE TABLE `beds`');
    expect(schema).not.toContain('thyme');
    await sql('drop table beds');
    await deployed.put('/tmp/dump.sql', dump);
    await sql('source /tmp/dump.sql');
    expect(await sql('select id, plant from beds order by id')).toBe("1\tit's mint\n2\tthyme");

    expect(await deployed.run('sizes')).toContain('beds');
    expect(await deployed.run('processes')).toContain('root');
    expect(await deployed.run('check')).toMatch(/app\.beds\s+OK/);
    expect(await deployed.run('optimize')).toContain('app.beds');
    await deployed.checkAndRelease();
  });
}
