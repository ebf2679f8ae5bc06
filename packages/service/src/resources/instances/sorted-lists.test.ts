import type { InstanceSort } from '@hortus/contract/records/instance-sorts';
import { sql } from 'kysely';
import { beforeAll, expect, it } from 'vitest';
import { indexNames } from '../../storage/name-search.ts';
import type { Queries, Tx } from '../../storage/storage.ts';
import { onDifferingEngines } from '../../testing/engines.ts';
import { instanceOn } from '../../testing/log-daemon.ts';
import { type RunningService, startApp } from '../../testing/running-service.ts';
import { type InstanceFilter, instancesOf } from './lists/store.ts';

/** One more than totals are exact for, and than the index of names is asked for. */
const COPIES = 10_001;

onDifferingEngines('sort order and query plans', (engine) => {
  let service: RunningService;

  beforeAll(async () => {
    service = await startApp(engine);
    const { client, database } = service;
    const body = { name: 'server-1', environment: 'staging' } as const;
    const server = (await client.call('servers.register', { body })).data;
    const instance = await instanceOn(service, server.id, 'original');
    const { definition_id: definition } = (await client.call('instances.read', { params: { id: instance } })).data;
    // One statement each: the copies differ only in their names and start.
    const numbers = `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${COPIES})`;
    const copies = async (table: 'definitions' | 'revisions' | 'instances', own: Record<string, string>) => {
      const from = { definitions: `id = '${definition}'`, revisions: `definition_id = '${definition}'` };
      const where = table === 'instances' ? `id = '${instance}'` : from[table];
      const { rows } = await database.run(`select * from ${table} where ${where}`, []);
      const columns = Object.keys(rows[0] as object);
      const values = columns.map((column) => own[column] ?? column).join(', ');
      await database.run(
        `insert into ${table} (${columns.join(', ')}) ${numbers} select ${values} from ${table}, n where ${where}`,
        [],
      );
    };
    const copy = `'def_z' || i`;
    const named = `'copy-' || i`;
    await copies('definitions', { id: copy, container_name: named, instance_uid: named, name: named });
    await copies('revisions', { definition_id: copy });
    await copies('instances', { id: `'ins_z' || i`, definition_id: copy, container_name: named, started_at: 'i' });
    await sql`analyze`.execute(database.db);
  });

  const plan = async (filter: Omit<InstanceFilter, 'accountId'>, sort?: InstanceSort): Promise<string> => {
    const { accountId, database } = service;
    const explain = engine.name === 'sqlite' ? 'explain query plan' : 'explain';
    const explaining: Queries = { ...database, run: (text, values) => database.run(`${explain} ${text}`, values) };
    const rows: readonly object[] = await instancesOf(explaining, { accountId, ...filter, sort }).rows(100, 0);
    return rows.map((row) => Object.values(row).join(' ')).join('\n');
  };

  it.each([
    ['name', 'definitions_by_name'],
    ['-name', 'definitions_by_name'],
    ['status', 'instances_by_urgency'],
    ['-status', 'instances_by_urgency'],
    ['started_at', 'instances_by_start'],
    ['-started_at', 'instances_by_start'],
  ] as const)('a page of 10,000 instances sorted by %s reads an index instead of sorting all', async (sort, index) => {
    const text = await plan({}, sort);
    expect(text).toContain(index);
    // PostgreSQL reads the rows of a page by a scan while a table is small.
    if (engine.name === 'sqlite') expect(text).not.toMatch(/SCAN (instances|definitions)(?! USING)/);
  });

  it.each(['running', 'released'] as const)(
    'a list by name with the status %s finds instances by definition',
    async (status) => {
      if (engine.name === 'sqlite') expect(await plan({ status }, 'name')).toContain('instances_of_definition');
      const { json } = await service.request('GET', `/instances?sort=-name&status=${status}`);
      expect(json.data.every((row: { status: string }) => row.status === status)).toBe(true);
    },
  );

  it('a search reads only the instances that the index of names finds', async () => {
    const text = await plan({ q: 'copy-99' });
    if (engine.name === 'sqlite') {
      expect(text).toMatch(/definition_names VIRTUAL TABLE/);
      expect(text).toMatch(/instances USING INDEX \w+ \(definition_id=/);
    }
    const { data, pagination } = await service.client.call('instances.list', {
      query: { q: 'COPY-999', sort: 'name' },
    });
    expect(data.map(({ name }) => name)).toEqual([
      'copy-999',
      ...[0, 1, 2, 3, 4, 5, 6, 7, 8, 9].map((n) => `copy-999${n}`),
    ]);
    expect(pagination.total).toBe(11);
  });

  it.each([
    ['before the names are indexed', async () => 0],
    ['afterwards', (tx: Tx) => indexNames(tx, 2 * COPIES)],
  ])('a search finds rare, frequent and short texts, and takes every letter literally: %s', async (_, index) => {
    if (engine.name === 'sqlite') await index(service.database);
    const totals = async (q: string) =>
      Promise.all([
        service.client.call('instances.list', { query: { q } }),
        service.client.call('definitions.list', { query: { q } }),
      ]).then((pages) => pages.map(({ pagination }) => pagination.total));
    for (const [q, total] of [
      ['copy-4321', 1],
      ['OPY-43', 111],
      ['copy-', COPIES],
      ['-1', 1_113],
      ['copy-0', 0],
      ['%op', 0],
      ['c_py', 0],
      ['"copy"', 0],
      ['copy OR', 0],
      ['💐💐💐', 0],
    ] as const)
      expect([q, await totals(q)]).toEqual([q, [total, total]]);
  });

  it('pages of a sorted list are complete and have no row twice', async () => {
    const seen = new Set<string>();
    for (const page of [1, 2, 3]) {
      const query = { sort: 'status', page, per_page: 100 } as const;
      for (const { id } of (await service.client.call('instances.list', { query })).data) seen.add(id);
    }
    expect(seen.size).toBe(300);
  });

  it('a sorted list ends after 10,000 instances, so that no page costs more than the first 10,000', async () => {
    const listed = async (query: string) => (await service.request('GET', `/instances?per_page=100${query}`)).json;
    expect((await listed('&sort=name&page=100')).data).toHaveLength(100);
    const beyond = await listed('&sort=name&page=101');
    expect(beyond).toMatchObject({ data: [], pagination: { total: COPIES + 1 } });
    expect((await listed('&page=101')).data).toHaveLength(2);
  });

  it.each([
    ['?sort=name;drop%20table%20instances', 'sort'],
    ['?sort=constructor', 'sort'],
    ['?sort=name&sort=status', 'sort'],
    [`?q=${'a'.repeat(65)}`, 'q'],
    ['?q=a%00b', 'q'],
  ])('a hostile list request is refused with the name of its field: %s', async (query, field) => {
    const { status, json } = await service.request('GET', `/instances${query}`);
    expect(status).toBe(422);
    expect(json.error.message).toMatch(new RegExp(`^${field}`));
  });
});
