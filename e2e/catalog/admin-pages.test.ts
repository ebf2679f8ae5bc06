import { FIRST_FILL_MS } from '@hortus/testkit/test-cache';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type CatalogInstallation, hasOwnEngine, openCatalogInstallation } from './catalog-installation.ts';
import { deploySpecies } from './deployed-species.ts';
import { survivesLoss } from './loss.ts';
import { fieldOf, Visitor } from './visitor.ts';

if (hasOwnEngine) {
  let catalogInstallation: CatalogInstallation;
  beforeAll(async () => {
    catalogInstallation = await openCatalogInstallation('phpmyadmin', 'mariadb');
  }, FIRST_FILL_MS);
  afterAll(() => catalogInstallation?.[Symbol.asyncDispose]());

  test('phpMyAdmin shows the rows of a restored MariaDB', { timeout: 600_000 }, async () => {
    const database = await deploySpecies(catalogInstallation, 'mariadb');
    const admin = await deploySpecies(catalogInstallation, 'phpmyadmin', {
      WEB_HOSTNAME: 'mysql.example.org',
      DATABASE_HOST: await database.address(),
    });
    const sql = async (text: string) => {
      const visitor = new Visitor(admin);
      const { username = '', password = '', database: db = '' } = database.provided('database.mariadb');
      // Each visit without an account begins a new session.
      const page = await visitor.get('/');
      const fields = { server: '1', set_session: fieldOf(page, 'set_session'), token: fieldOf(page, 'token') };
      const signIn = { pma_username: username, pma_password: password, ...fields };
      const { text: home } = await visitor.post('/index.php?route=/', signIn);
      const [, fresh = ''] = /token:"([^"]+)"/.exec(home) ?? expect.fail(`not signed in: ${home}`);
      const order = { db, sql_query: text, token: fresh, ajax_request: 'true', is_js_confirmed: '1' };
      const answer = JSON.parse((await visitor.post('/index.php?route=/sql', order)).text);
      expect(answer, JSON.stringify(answer)).toMatchObject({ success: true });
      return String(answer.message ?? '');
    };
    await sql('create table beds (id int primary key, plant text)');
    await sql("insert into beds values (1, 'it''s mint'), (2, 'thyme')");
    // Its pages contain times, so only the rows are compared.
    const look = async () => {
      const rows = await sql('select plant from beds order by id');
      return [...rows.matchAll(/it&#0?39;s mint|thyme/g)].join();
    };
    expect(await look()).toMatch(/^it&#0?39;s mint,.*thyme$/);
    await survivesLoss(catalogInstallation, database, { look, change: () => sql('delete from beds') });
    expect(await admin.run('check-config')).toContain('No syntax errors');
    await admin.checkAndRelease();
  });
}
