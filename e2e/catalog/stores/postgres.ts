import { expect } from 'vitest';
import { type Catalog, catalogTest } from '../catalog-installation.ts';
import { type DeployedSpecies, deploySpecies } from '../deployed-species.ts';
import { survivesLoss } from '../loss.ts';

export function postgres(catalog: Catalog): void {
  catalogTest('PostgreSQL restores a dump, and the same rows after a lost volume', { timeout: 600_000 }, async () => {
    const deployed = await deploySpecies(catalog(), 'postgres');
    const { url = '' } = deployed.provided();
    const sql = (text: string) => deployed.say('psql', url, '--no-align', '--tuples-only', `--command=${text}`);
    await sql(
      "create table beds (id int primary key, plant text); insert into beds select n, 'it''s plant ' || n from generate_series(1, 5000) n",
    );
    const read = () => sql("select count(*), md5(string_agg(plant, ',' order by id)) from beds");
    const change = () => sql('delete from beds where id > 10');
    const backup = await survivesLoss(catalog(), deployed, { read, change, damage: true });
    // A dump needs no downtime.
    expect(backup).toMatchObject({ stopped_ms: 0, parts: [{ kind: 'dump', name: 'db-dump' }] });

    const rows = await read();
    const dump = await deployed.run('db-dump');
    const schema = await deployed.run('db-dump', { schema_only: true });
    expect(schema).toContain('CREATE TABLE public.beds');
    expect(schema).not.toContain('plant 1');
    await sql('drop table beds');
    await deployed.put('/tmp/dump.sql', dump);
    await deployed.say('psql', url, '--set=ON_ERROR_STOP=1', '--file=/tmp/dump.sql');
    expect(await read()).toBe(rows);
    await maintains(deployed, sql);
    await deployed.checkAndRelease();
  });
}

async function maintains(deployed: DeployedSpecies, sql: (text: string) => Promise<string>): Promise<void> {
  const { url = '' } = deployed.provided();
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
}
