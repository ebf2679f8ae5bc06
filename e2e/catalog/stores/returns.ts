import { until } from '@hortus/testkit/until';
import { expect } from 'vitest';
import { finished } from '../../docker/installation.ts';
import { publishTemplate } from '../../published-template.ts';
import { type Catalog, catalogTest } from '../catalog-installation.ts';
import { deploySpecies } from '../deployed-species.ts';

/** PostgreSQL and an application that is healthy only if the table has the columns of its version. */
const ledger = (version: string, column: string, migration = '') => `slug: ledger
name: Ledger
version: ${version}
archetype: application
taxonomy: {kingdom: applications, family: database}
image: {repository: docker.io/library/postgres, tag: "17.5"}
inputs: {optional: [{name: NOTE, type: string, default: first}]}
secrets: {DB_PASSWORD: {generate: password, length: 32}}
vars: {dsn: "postgres://ledger:\${secrets.DB_PASSWORD | urlencode}@\${components.db.host}:5432/ledger"}
components:
  app:
    image: "\${template.image}"
    env: {NOTE: "\${inputs.NOTE}"}
    entrypoint: [psql, "\${vars.dsn}"]
    command: ["--command=create table if not exists beds (id int primary key, plant text)", "--command=select pg_sleep(1000000)"]
    healthcheck:
      test: [psql, "\${vars.dsn}", "--command=select ${column} from beds"]
      interval: 500ms
      timeout: 5s
      retries: 3
      start_period: 5s
    depends_on: {db: healthy${migration && ', migrate: completed'}}
    stop_signal: SIGKILL
${migration}  db:
    image: "\${template.image}"
    env: {POSTGRES_USER: ledger, POSTGRES_DB: ledger, POSTGRES_PASSWORD: "\${secrets.DB_PASSWORD}"}
    healthcheck: {test: [pg_isready, -h, 127.0.0.1, -U, ledger], interval: 500ms, timeout: 5s, retries: 5, start_period: 60s}
    storage: [{name: rows, mount_path: /var/lib/postgresql/data, critical: true}]
    stop_signal: SIGINT
actions:
  - {name: Dump, slug: db-dump, type: exec, component: db, timeout: 600s,
     command: [pg_dump, --username=ledger, --clean, --if-exists, ledger]}
backup:
  strategy: dump
  dump_action: db-dump
  restore_command: [psql, --username=ledger, --dbname=ledger, --set=ON_ERROR_STOP=1, --single-transaction, --quiet, --output=/dev/null]
`;

/** A table that the dump does not contain and that references an old table, which a restore must handle. */
const migration = `  migrate:
    kind: job
    run: before_start
    irreversible: true
    image: "\${template.image}"
    entrypoint: [psql, "\${vars.dsn}", --set=ON_ERROR_STOP=1]
    command:
      - --command=update beds set plant = 'lost'
      - --command=alter table beds rename plant to crop
      - --command=create table harvests (bed int references beds (id))
    depends_on: {db: healthy}
`;

export function returns(catalog: Catalog): void {
  const client = () => catalog().installation.service.client;

  catalogTest(
    'a failed upgrade restores changed and deleted rows of a real database',
    {
      timeout: 600_000,
    },
    async () => {
      await publishTemplate(client(), ledger('1.0.0', 'plant'));
      const deployed = await deploySpecies(catalog(), 'ledger');
      const { instanceId } = deployed;
      const sql = (text: string) =>
        deployed.say('psql', '--username=ledger', '--no-align', '--tuples-only', `--command=${text}`);
      await sql("insert into beds select n, 'it''s plant ' || n from generate_series(1, 5000) n");
      const read = () => sql("select count(*), md5(string_agg(plant, ',' order by id)) from beds");
      const rows = await read();
      expect(rows).toMatch(/^5000\|/);

      await publishTemplate(client(), ledger('1.1.0', 'nothing_of_that_name', migration));
      const query = { instance_id: instanceId, status: 'available' as const };
      const find = async () => (await client().call('upgrades.list', { query })).data[0]?.id;
      const id = await until(find, { describe: 'the upgrade', within: 60_000 });
      await client().call('upgrades.apply', { params: { id }, body: {} });
      const end = await until(
        async () => {
          const { data } = await client().call('upgrades.read', { params: { id } });
          return data.status === 'applying' ? undefined : data;
        },
        { describe: 'the end of the upgrade', within: 300_000 },
      );
      expect(end).toMatchObject({ status: 'failed', reason: 'deployment' });
      expect(end.error).toContain('with its previous data');
      expect(await read()).toBe(rows);
      expect(await sql("select count(*) from pg_tables where tablename = 'harvests'")).toBe('0');

      const { definition_id } = (await client().call('instances.read', { params: { id: instanceId } })).data;
      const change = { params: { id: definition_id }, body: { inputs: { NOTE: 'second' } } };
      await client().call('definitions.update', change);
      const body = { definition_id, backup_first: true };
      const second = (await client().call('deployments.execute', { body })).data;
      expect(await finished(catalog().installation, second.id, 180_000)).toMatchObject({ status: 'success' });
      await sql('delete from beds where id > 10');
      const order = { params: { id: second.id }, body: { with_data: true } };
      const back = (await client().call('deployments.rollback', order)).data;
      const returned = await finished(catalog().installation, back.id, 180_000);
      expect(returned, returned.error ?? '').toMatchObject({ status: 'success', revision: 1 });
      expect(await read()).toBe(rows);
      await deployed.release();
    },
  );
}
