import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Upgrade } from '@hortus/contract/resources/upgrades';
import { until } from '@hortus/testkit/until';
import { expect } from 'vitest';
import { finished } from '../../docker/installation.ts';
import { publishTemplate } from '../../published-template.ts';
import { type Catalog, catalogTest } from '../catalog-installation.ts';
import { deploySpecies } from '../deployed-species.ts';
import { catalogFolder } from '../paper.ts';

/** An account's own species, so that other tests of the file deploy the bundled one. */
const SPECIES = 'postgres-majors';

const bundled = (): string => {
  const text = readFileSync(join(catalogFolder, 'database/postgres/template.yaml'), 'utf8');
  return text.replace(/^slug: postgres$/m, `slug: ${SPECIES}`);
};

/**
 * The species postgres as a version with the next major. Debian has one major only, so the image stays; volume and data
 * directory move as in the image of PostgreSQL 18, so the new version does not find data that is not restored.
 */
function nextMajor(version: string, { broken = false } = {}): string {
  const changes: [RegExp, string][] = [
    [/^version: .*$/m, `version: ${version}`],
    [/^app_version: .*$/m, 'app_version: "18.1"'],
    [/PGDATA: \S+/, 'PGDATA: /var/lib/postgresql/18/docker'],
    [/mount_path: \/var\/lib\/postgresql\/data/, 'mount_path: /var/lib/postgresql'],
    [/interval: 5s/, 'interval: 500ms'],
  ];
  if (broken)
    changes.push(
      [/pg_isready, -h, 127\.0\.0\.1/, 'pg_isready, -h, 127.0.0.1, -p, "1"'],
      [/start_period: 60s/, 'start_period: 20s'],
    );
  return changes.reduce((source, [from, to]) => {
    expect(source).toMatch(from);
    return source.replace(from, to);
  }, bundled());
}

export function majors(catalog: Catalog): void {
  const client = () => catalog().installation.service.client;

  async function offered(instanceId: string, version: string): Promise<Upgrade> {
    const query = { instance_id: instanceId, status: 'available' as const };
    const find = async () =>
      (await client().call('upgrades.list', { query })).data.find(({ to_version }) => to_version === version);
    return await until(find, { describe: `the upgrade to ${version}`, within: 60_000 });
  }

  async function applied({ id }: Upgrade, body: { rehearse?: boolean } = {}): Promise<Upgrade> {
    await client().call('upgrades.apply', { params: { id }, body });
    const read = async () => {
      const { data } = await client().call('upgrades.read', { params: { id } });
      return data.status === 'applying' ? undefined : data;
    };
    return await until(read, { describe: 'the end of the upgrade', within: 600_000 });
  }

  catalogTest(
    'an upgrade to the next major of PostgreSQL restores a dump, and can be rolled back with its data',
    {
      timeout: 900_000,
    },
    async () => {
      await publishTemplate(client(), bundled());
      const deployed = await deploySpecies(catalog(), SPECIES);
      const { instanceId } = deployed;
      const sql = (text: string) =>
        deployed.say('psql', '--username=app', '--dbname=app', '--no-align', '--tuples-only', `--command=${text}`);
      await sql(
        "create table beds (id int primary key, plant text); insert into beds select n, 'it''s plant ' || n from generate_series(1, 5000) n",
      );
      const read = () => sql("select count(*), md5(string_agg(plant, ',' order by id)) from beds");
      const directory = () => sql('show data_directory');
      const rows = await read();

      await publishTemplate(client(), nextMajor('9.0.0', { broken: true }));
      const first = await offered(instanceId, '9.0.0');
      expect(first).toMatchObject({ data: 'dump_restore', conflicts: [], stops: [] });
      expect(first.notes.map(({ version }) => version)).toEqual(['18']);
      const failed = await applied(first);
      expect(failed, failed.error ?? '').toMatchObject({ status: 'failed' });
      expect([await read(), await directory()]).toEqual([rows, '/var/lib/postgresql/data/pgdata']);

      await publishTemplate(client(), nextMajor('9.1.0'));
      const end = await applied(await offered(instanceId, '9.1.0'), { rehearse: true });
      expect(end, end.error ?? '').toMatchObject({ status: 'applied' });
      expect([await read(), await directory()]).toEqual([rows, '/var/lib/postgresql/18/docker']);
      // The volume is a new one: nothing of the older cluster is left in it.
      expect(await deployed.say('ls', '/var/lib/postgresql')).not.toContain('pgdata');

      await sql("insert into beds values (0, 'sown later')");
      const params = { id: end.deployment_id ?? '' };
      await expect(client().call('deployments.rollback', { params, body: {} })).rejects.toMatchObject({
        details: { reason: 'data_rebuilt' },
      });
      const back = (await client().call('deployments.rollback', { params, body: { with_data: true } })).data;
      const returned = await finished(catalog().installation, back.id, 180_000);
      expect(returned, returned.error ?? '').toMatchObject({ status: 'success' });
      expect([await read(), await directory()]).toEqual([rows, '/var/lib/postgresql/data/pgdata']);
      await deployed.release();
    },
  );
}
