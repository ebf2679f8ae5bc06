import { expect } from 'vitest';
import { type Catalog, catalogTest } from '../catalog-installation.ts';
import { type DeployedSpecies, deploySpecies } from '../deployed-species.ts';
import { survivesLoss } from '../loss.ts';
import { fieldOf, Visitor } from '../visitor.ts';

export function mariadb(catalog: Catalog): void {
  catalogTest(
    'MariaDB restores a dump, and phpMyAdmin shows the same rows after a lost volume',
    {
      timeout: 600_000,
    },
    async () => {
      const deployed = await deploySpecies(catalog(), 'mariadb');
      const { host = '', username = '', password = '', database = '' } = deployed.provided('database.mariadb');
      const signIn = [`--host=${host}`, `--user=${username}`, `--password=${password}`, database];
      const sql = (text: string) =>
        deployed.say('mariadb', ...signIn, '--skip-column-names', '--batch', `--execute=${text}`);
      const admin = await deploySpecies(catalog(), 'phpmyadmin', {
        WEB_HOSTNAME: 'mysql.example.org',
        DATABASE_HOST: await deployed.address(),
      });
      const page = (text: string) => onPage(admin, deployed, text);
      await sql('create table beds (id int primary key, plant text)');
      await page("insert into beds values (1, 'it''s mint'), (2, 'thyme')");
      const rows = () => sql('select id, plant from beds order by id');
      expect(await rows()).toBe("1\tit's mint\n2\tthyme");
      const change = () => sql('delete from beds');
      await survivesLoss(catalog(), deployed, { read: rows, change, damage: true });
      // Its pages contain times, so only the rows are compared. Each page waits for MariaDB to look up its name in vain.
      const shown = await page('select plant from beds order by id');
      expect([...shown.matchAll(/it&#0?39;s mint|thyme/g)].join()).toMatch(/^it&#0?39;s mint,.*thyme$/);
      expect(await admin.run('check-config')).toContain('No syntax errors');
      await admin.checkAndRelease();

      const dump = await deployed.run('db-dump');
      const schema = await deployed.run('db-dump', { schema_only: true });
      expect(schema).toContain('CREATE TABLE `beds`');
      expect(schema).not.toContain('thyme');
      await sql('drop table beds');
      await deployed.put('/tmp/dump.sql', dump);
      await sql('source /tmp/dump.sql');
      expect(await rows()).toBe("1\tit's mint\n2\tthyme");

      expect(await deployed.run('sizes')).toContain('beds');
      expect(await deployed.run('processes')).toContain('root');
      expect(await deployed.run('check')).toMatch(/app\.beds\s+OK/);
      expect(await deployed.run('optimize')).toContain('app.beds');
      await deployed.checkAndRelease();
    },
  );
}

/** Runs a statement on phpMyAdmin's page for SQL, in a new session, and returns its message. */
async function onPage(admin: DeployedSpecies, server: DeployedSpecies, text: string): Promise<string> {
  const visitor = new Visitor(admin);
  const { username = '', password = '', database: db = '' } = server.provided('database.mariadb');
  const page = await visitor.get('/');
  const fields = { server: '1', set_session: fieldOf(page, 'set_session'), token: fieldOf(page, 'token') };
  const signIn = { pma_username: username, pma_password: password, ...fields };
  const { text: home } = await visitor.post('/index.php?route=/', signIn);
  const [, fresh = ''] = /token:"([^"]+)"/.exec(home) ?? expect.fail(`not signed in: ${home}`);
  const order = { db, sql_query: text, token: fresh, ajax_request: 'true', is_js_confirmed: '1' };
  const response = JSON.parse((await visitor.post('/index.php?route=/sql', order)).text);
  expect(response, JSON.stringify(response)).toMatchObject({ success: true });
  return String(response.message ?? '');
}
