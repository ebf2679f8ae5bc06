import type { Canonical } from '@hortus/template/canonical/canonical-form';
import { expect } from 'vitest';
import { publishTemplate } from '../../published-template.ts';
import { type Catalog, catalogTest } from '../catalog-installation.ts';
import { deploySpecies } from '../deployed-species.ts';
import { survivesLoss } from '../loss.ts';
import { readCatalog } from '../paper.ts';

/**
 * The database of a species whose application cannot run here: its component, dump and restore as they are, on a plain
 * PostgreSQL, whose image is that of the species postgres.
 */
function databaseOf(spec: Canonical, image: Canonical['image']): string {
  const { db } = spec.components;
  const { slug, secrets, inputs, actions, backup } = spec;
  const { restore_command, restore_into, dump_action } = backup;
  const storage = db?.storage.map((volume) => ({ ...volume, critical: true }));
  return JSON.stringify({
    slug: `${slug}-db`,
    name: `The database of ${slug}`,
    version: '1.0.0',
    archetype: 'application',
    taxonomy: { kingdom: 'data', family: 'database' },
    image: { repository: image?.repository, tag: image?.tag, ...(image?.digest && { digest: image.digest }) },
    // Inputs and secrets of the application are not asked for.
    inputs: { optional: inputs.optional.filter(({ name }) => JSON.stringify(db).includes(`inputs.${name}`)) },
    secrets: { DB_PASSWORD: secrets.DB_PASSWORD },
    components: { db: { ...db, image: '${template.image}', storage } },
    actions: actions.filter(({ slug: action }) => action === dump_action),
    backup: { strategy: 'dump', dump_action, restore_command, restore_into },
    smoke: [{ tcp: { port: 5432 } }],
  });
}

export function clusterDumps(catalog: Catalog): void {
  async function deployDatabase(species: string) {
    const bundled = await readCatalog();
    const spec = bundled.get(species);
    if (spec === undefined) throw new Error(`The catalog has no ${species}`);
    const source = databaseOf(spec, bundled.get('postgres')?.image);
    await publishTemplate(catalog().installation.service.client, source);
    return await deploySpecies(catalog(), `${species}-db`);
  }

  catalogTest(
    'Odoo: a restore returns every database of the cluster, and none from after the backup',
    {
      timeout: 400_000,
    },
    async () => {
      const deployed = await deployDatabase('odoo');
      const sql = (database: string, text: string) =>
        deployed.say(
          'psql',
          '--username=odoo',
          `--dbname=${database}`,
          '--no-align',
          '--tuples-only',
          `--command=${text}`,
        );
      for (const name of ['garden', 'nursery']) {
        await sql('postgres', `create database ${name}`);
        // A row that looks like a line of the dump which the restore leaves out.
        await sql(name, `create table notes (text text); insert into notes values ('${name}'), ('CREATE ROLE odoo;')`);
      }
      const read = async () => {
        const names = await sql('postgres', 'select datname from pg_database where not datistemplate order by 1');
        const rows: string[] = [];
        for (const name of names.split('\n'))
          if (name !== 'postgres') rows.push(await sql(name, 'select * from notes'));
        return [names, ...rows].join('\n');
      };
      expect(await read()).toBe('garden\nnursery\npostgres\ngarden\nCREATE ROLE odoo;\nnursery\nCREATE ROLE odoo;');
      const change = async () => {
        await sql('postgres', 'drop database garden');
        await sql('postgres', 'create database weeds');
        await sql('weeds', "create table notes (text text); insert into notes values ('later')");
      };
      await survivesLoss(catalog(), deployed, { read, change });
      await deployed.run('db-dump');
      await deployed.checkAndRelease();
    },
  );

  catalogTest(
    'Immich: a restore returns the tables of the backup, and none from after it',
    { timeout: 400_000 },
    async () => {
      const deployed = await deployDatabase('immich');
      const sql = (text: string) =>
        deployed.say(
          'psql',
          '--username=immich',
          '--dbname=immich',
          '--no-align',
          '--tuples-only',
          `--command=${text}`,
        );
      await sql("create table asset (id int primary key, path text); insert into asset values (1, 'it''s a rose')");
      const read = async () =>
        `${await sql("select tablename from pg_tables where schemaname = 'public' order by 1")} ${await sql('select * from asset')}`;
      expect(await read()).toBe("asset 1|it's a rose");
      const change = () => sql("create table weeds (id int); update asset set path = 'later'");
      await survivesLoss(catalog(), deployed, { read, change });
      await deployed.run('db-dump');
      await deployed.checkAndRelease();
    },
  );
}
