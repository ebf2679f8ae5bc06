import { sql } from 'kysely';
import { beforeAll, expect, it } from 'vitest';
import type { Queries } from '../../storage/storage.ts';
import { onDifferingEngines } from '../../testing/engines.ts';
import { type RunningService, startApp } from '../../testing/running-service.ts';
import { type DefinitionFilter, definitionsOf } from './store.ts';

const ARCHIVED = 10_000;

onDifferingEngines('query plans', (engine) => {
  let service: RunningService;
  let server_id: string;
  let tenant_id: string;

  beforeAll(async () => {
    service = await startApp(engine);
    const { client, database } = service;
    const body = { name: 'server-1', environment: 'staging' } as const;
    server_id = (await client.call('servers.register', { body })).data.id;
    tenant_id = (await client.call('tenants.create', { body: { name: 'Lodger', server_id } })).data.id;
    const order = { species: 'seed', instance_uid: 'living', server_id, tenant_id, inputs: {} };
    const { id } = (await client.call('definitions.create', { body: order })).data;
    const { db } = database;
    const definition = await db.selectFrom('definitions').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
    const revision = await db
      .selectFrom('revisions')
      .selectAll()
      .where('definition_id', '=', id)
      .executeTakeFirstOrThrow();
    // One statement each: the archived copies differ only in their names.
    const numbers = `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${ARCHIVED})`;
    const copies = (table: string, row: object, own: Record<string, string>) => {
      const columns = Object.keys(row);
      const values = columns.map((column) => own[column] ?? column).join(', ');
      const from = table === 'definitions' ? `id = '${id}'` : `definition_id = '${id}'`;
      return database.run(
        `insert into ${table} (${columns.join(', ')}) ${numbers} select ${values} from ${table}, n where ${from}`,
        [],
      );
    };
    // Newer than the unarchived one, so that a scan by age alone would read all of them first.
    const newer = `'def_z' || i`;
    const named = `'gone-' || i`;
    await copies('definitions', definition, {
      id: newer,
      container_name: named,
      instance_uid: named,
      status: `'archived'`,
    });
    await copies('revisions', revision, { definition_id: newer });
    await sql`analyze`.execute(db);
  });

  const plan = async (filter: Omit<DefinitionFilter, 'accountId'>): Promise<string> => {
    const { accountId, database } = service;
    const explain = engine.name === 'sqlite' ? 'explain query plan' : 'explain';
    const explaining: Queries = { ...database, run: (text, values) => database.run(`${explain} ${text}`, values) };
    const rows: readonly object[] = await definitionsOf(explaining, { accountId, ...filter }).rows(20, 0);
    return rows.map((row) => Object.values(row).join(' ')).join('\n');
  };

  it.each([
    ['of the account', () => ({}), 'definitions_listed'],
    ['of a server', () => ({ serverId: server_id }), /definitions_of_server|definitions_listed/],
    ['of a tenant', () => ({ tenantId: tenant_id }), /definitions_of_tenant|definitions_listed/],
    ['in one state', () => ({ status: 'pending' as const }), /definitions_by_status|definitions_listed/],
  ])('a list %s uses an index without archived definitions', async (_, filter, index) => {
    const text = await plan(filter());
    expect(text).toMatch(index);
    expect(text).not.toMatch(/seq scan on definitions|scan definitions/i);
  });

  it('10,000 archived definitions are listed only on request', async () => {
    const listed = async (query: string) => (await service.request('GET', `/definitions?per_page=5${query}`)).json;
    expect(await listed('')).toMatchObject({ data: [{ instance_uid: 'living' }], pagination: { total: 1 } });
    expect((await listed('&status=archived')).pagination.total).toBe(ARCHIVED);
    expect((await listed('&status=all')).pagination.total).toBe(ARCHIVED + 1);
  });
});
