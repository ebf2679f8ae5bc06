import type { Canonical } from '@hortus/template/canonical/canonical-form';
import { until } from '@hortus/testkit/until';
import { expect } from 'vitest';
import { deploy, ended, finished } from '../../docker/installation.ts';
import { publishTemplate } from '../../published-template.ts';
import { type Catalog, catalogTest, inLongRuns } from '../catalog-installation.ts';
import { type DeployedSpecies, deploySpecies } from '../deployed-species.ts';
import { restore } from '../loss.ts';
import { readCatalog } from '../paper.ts';
import { databaseOf, onStandIn, type SpeciesDatabase } from './restored-database.ts';

/** One of each kind: plain dumps of both databases, two databases, a volume that stays, a database made by the application. */
const ALWAYS = ['miniflux', 'matomo', 'dify', 'guacamole', 'wallabag', 'seafile'];

/** Databases that the application makes itself, in addition to the main one; they are in the dump too. */
const FURTHER: Readonly<Record<string, readonly string[]>> = {
  dify: ['dify_plugin'],
  seafile: ['seafile_db', 'seahub_db'],
  temporal: ['temporal_visibility'],
};

const bundled = await readCatalog();
const rows = [...bundled].flatMap(([slug, spec]) => {
  const database = databaseOf(spec);
  if (!['dump', 'both'].includes(spec.backup.strategy) || database === undefined) return [];
  return inLongRuns || ALWAYS.includes(slug) ? [{ slug, spec, database }] : [];
});

/**
 * Restores of a species whose application was upgraded since the backup and goes on writing: nothing from after the backup
 * stays, the newer version migrates the restored data, and no container has cached older data.
 */
export function restores(catalog: Catalog): void {
  for (const { slug, spec, database } of rows)
    catalogTest(
      `${slug}: a restore under writers, after an upgrade that added a table, leaves only the data of the backup`,
      { timeout: 400_000 },
      async () => {
        const image = bundled.get(database.kind)?.image;
        const { client } = catalog().installation.service;
        await publishTemplate(client, onStandIn(spec, database, image, '1.0.0'));
        const deployed = await deploySpecies(catalog(), `${slug}-restored`);
        const { instanceId: id, definitionId } = deployed;
        const sql = (text: string, name = database.name) => ask(deployed, database, name, text);
        const further = FURTHER[slug] ?? [];
        await sql("insert into beds values (1, 'rose'), (2, 'it''s mint')");
        for (const name of further) {
          await sql(`create database ${name}`);
          await sql("create table plugins (name text); insert into plugins values ('shears')", name);
        }
        await until(async () => (await sql('select count(*) from written')) !== '0', { describe: 'it to write' });
        const { execution, backup } = await client.call('backups.create', { params: { id } });
        expect(await ended(catalog().installation, execution.id, 120_000)).toMatchObject({ status: 'completed' });
        const before = await sql('select distinct run from written');

        await client.call('definitions.update', { params: { id: definitionId }, body: { inputs: { VERSION: '2' } } });
        const upgraded = await finished(catalog().installation, await deploy(catalog().installation, definitionId));
        expect(upgraded, upgraded.error ?? '').toMatchObject({ status: 'success' });
        await sql("update beds set plant = 'later' where id = 1");
        await sql("insert into beds values (3, 'later')");
        await sql('insert into harvests values (3)');
        await sql('create table weeds (id int)');
        for (const name of further)
          await sql("insert into plugins values ('later'); create table weeds (id int)", name);
        const filled = await filledAt(deployed, spec);

        const { data: plan } = await client.call('backups.planRestore', { params: { id: backup.id } });
        expect(plan).toMatchObject({
          into: 'empty',
          empties: ['dbdata'],
          keeps: spec.components.schema ? ['schema'] : [],
        });
        const first = (await app(catalog, deployed)).id;
        const restored = await restore(catalog(), backup);
        expect(restored, `${restored.error}\n${restored.output}`).toMatchObject({ status: 'completed' });

        expect(await sql('select id, plant from beds order by id')).toMatch(/^1\W+rose\n2\W+it's mint$/);
        expect(await sql(TABLES[database.kind])).not.toContain('weeds');
        // The newer version found its table missing, and added it again.
        expect(await sql('select version from state')).toBe('2');
        expect(await sql('select count(*) from harvests')).toBe('0');
        for (const name of further) expect(await sql('select name from plugins', name)).toBe('shears');
        const container = await app(catalog, deployed);
        expect(container.id).not.toBe(first);
        expect(await said(catalog, container.id, 'cat', '/tmp/cache')).toBe("rose\nit's mint");
        // Only what ran before the backup, and what started after the restore, has written.
        await until(async () => (await sql('select count(distinct run) from written')) === '2', {
          describe: 'the restored application to write',
        });
        expect((await sql('select distinct run from written')).split('\n')).toContain(before);
        expect(await filledAt(deployed, spec)).toBe(filled);
        await deployed.release();
      },
    );
}

const TABLES = {
  postgres: "select tablename from pg_tables where schemaname = 'public'",
  mariadb: 'show tables',
};

async function ask(
  deployed: DeployedSpecies,
  { kind, user }: SpeciesDatabase,
  name: string,
  text: string,
): Promise<string> {
  const postgres = ['psql', `--username=${user}`, `--dbname=${name}`, '--no-align', '--tuples-only', '--quiet'];
  if (kind === 'postgres') return deployed.say(...postgres, '--set=ON_ERROR_STOP=1', `--command=${text}`);
  const script =
    'MYSQL_PWD="$MARIADB_ROOT_PASSWORD" exec mariadb --user=root --batch --skip-column-names --execute="$1" "$2"';
  return deployed.say('sh', '-c', script, 'ask', text, name);
}

/** When the volume that no dump rebuilds was first filled; empty without one. */
const filledAt = (deployed: DeployedSpecies, { components }: Canonical): Promise<string> | string =>
  components.schema ? deployed.say('cat', '/docker-entrypoint-initdb.d/first') : '';

async function app(catalog: Catalog, { uid }: DeployedSpecies) {
  const labels = { 'hortus.instance': uid, 'hortus.component': 'app' };
  const [found] = await catalog().engine.containers({ labels });
  return found ?? expect.fail(`${uid} has no application`);
}

async function said(catalog: Catalog, id: string, ...argv: string[]): Promise<string> {
  const command = await catalog().engine.exec(id, { argv });
  let text = '';
  for await (const { chunk } of command.output) text += chunk;
  return text.trim();
}
