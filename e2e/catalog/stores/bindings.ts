import { parseImage } from '@hortus/template/notation/image-reference';
import { expect } from 'vitest';
import { deploy, ended, finished } from '../../docker/installation.ts';
import { publishTemplate } from '../../published-template.ts';
import { type Catalog, catalogTest } from '../catalog-installation.ts';
import { deploySpecies } from '../deployed-species.ts';
import { restore } from '../loss.ts';

/** An application that is healthy only while it reaches its database. */
const reader = (image: string) => {
  const { repository, tag } = parseImage(image);
  return `
slug: reader
name: Reader
version: 1.0.0
archetype: application
taxonomy: {kingdom: applications, family: notes}
image: {repository: ${repository}, tag: "${tag}"}
entrypoint: [sh, -c, "exec sleep 100000"]
env: {DATABASE_URL: "\${needs.db.url}"}
stop_signal: SIGKILL
healthcheck: {test: [psql, "\${needs.db.url}", "--command=select 1"], interval: 1s, timeout: 5s, retries: 3, start_period: 5s}
needs: [{class: database.postgres, as: db}]
`;
};

export function bindings(catalog: Catalog): void {
  catalogTest(
    'an application connects to the PostgreSQL instance that it is bound to, also after that is deployed again',
    {
      timeout: 300_000,
    },
    async () => {
      const { installation, engine } = catalog();
      const { client } = installation.service;
      const postgres = await deploySpecies(catalog(), 'postgres', {}, 'bound-postgres');
      const [{ image } = { image: '' }] = postgres.manifest.components;
      await publishTemplate(client, reader(image));
      const bindings = { db: { instance: postgres.uid } };
      const { data: app } = await client.call('definitions.create', {
        body: { species: 'reader', instance_uid: 'reader', server_id: installation.serverId, inputs: {}, bindings },
      });
      const deployed = async (id: string) => {
        const outcome = await finished(installation, await deploy(installation, id), 180_000);
        expect(outcome, `${outcome.error}\n${outcome.logs.map(({ message }) => message).join('\n')}`).toMatchObject({
          status: 'success',
        });
        return outcome;
      };
      const outcome = await deployed(app.id);
      const { password = '', url = '' } = postgres.provided();
      expect(JSON.stringify(outcome)).not.toContain(password);

      const sql = async (text: string) => {
        const argv = ['psql', url, '--no-align', '--tuples-only', '--quiet', `--command=${text}`];
        const command = await engine.exec('reader', { argv });
        let said = '';
        for await (const { chunk } of command.output) said += chunk;
        return said.trim();
      };
      await sql("create table beds (plant text); insert into beds values ('mint')");
      expect(await postgres.say('psql', url, '--no-align', '--tuples-only', '--command=select plant from beds')).toBe(
        'mint',
      );

      const provider = postgres.definitionId;
      const former = (await postgres.container()).id;
      await client.call('definitions.update', { params: { id: provider }, body: { profile: 'minimal' } });
      await deployed(provider);
      expect((await postgres.container()).id).not.toBe(former);
      expect(await sql('select plant from beds')).toBe('mint');

      // It reaches the restored database, which filled without it.
      const ordered = await client.call('backups.create', { params: { id: postgres.instanceId } });
      expect(await ended(installation, ordered.execution.id, 120_000)).toMatchObject({ status: 'completed' });
      await sql("update beds set plant = 'weed'");
      expect(await restore(catalog(), ordered.backup)).toMatchObject({ status: 'completed' });
      expect(await sql('select plant from beds')).toBe('mint');

      await expect(client.call('definitions.archive', { params: { id: provider } })).rejects.toThrow(
        'reader is bound to it',
      );
      const { data: plan } = await client.call('deployments.plan', { params: { id: app.id } });
      expect(plan.nothing_to_do, JSON.stringify(plan)).toBe(true);
      await client.call('vault.rotateSecret', { params: { id: provider, name: 'DB_PASSWORD' } });
      const { data: changed } = await client.call('deployments.plan', { params: { id: app.id } });
      expect(changed.components[0]?.changes.map(({ field }) => field)).toContain('env.DATABASE_URL');
    },
  );
}
