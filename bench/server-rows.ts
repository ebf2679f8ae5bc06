import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { hashOf } from '@hortus/service/identity/tokens';
import { newId } from '@hortus/service/records/ids';
import { definitionRows, insertText } from './definition-rows.ts';

type Values = Readonly<Record<string, string | number | null>>;

export interface Grown {
  /** Keys of all servers. */
  readonly keys: string[];
  /** Instances on the first servers. */
  readonly instances: string[];
}

/**
 * Inserts servers directly into the database, and `each` instances on the first of them, because the API would take too long.
 */
export function growServers(folder: string, account: string, servers: number, withInstances: number, each = 1): Grown {
  const db = new DatabaseSync(join(folder, 'hortus.db'), { timeout: 10_000 });
  db.exec('pragma synchronous = off; begin immediate');
  const template = db.prepare('select id, spec_hash from templates limit 1').get() as { id: string; spec_hash: string };
  const inserts = new Map<string, StatementSync>();
  const put = (table: string, row: Values) => {
    const insert = inserts.get(table) ?? db.prepare(insertText(table, row, () => '?'));
    inserts.set(table, insert);
    insert.run(...Object.values(row));
  };
  const grown: Grown = { keys: [], instances: [] };
  for (let number = 0; number < servers; number++) {
    const key = `hs_live_${randomBytes(32).toString('base64url')}`;
    const server = serverRow(account, number, key);
    put('servers', server);
    grown.keys.push(key);
    if (number >= withInstances) continue;
    const owner = { account, server: String(server.id), template: template.id, hash: template.spec_hash };
    for (let place = 0; place < each; place++) {
      const { definitions, revisions } = definitionRows(number * each + place, owner);
      put('definitions', definitions);
      put('revisions', { ...revisions, spec_hash: owner.hash, inputs: '{}' });
      const instance = instanceRow(definitions);
      put('instances', instance);
      grown.instances.push(String(instance.id));
    }
  }
  db.exec('commit');
  db.close();
  return grown;
}

/** Counts servers with this number of connections. */
export function serversOfEpoch(folder: string, epoch: number): number {
  const db = new DatabaseSync(join(folder, 'hortus.db'), { readOnly: true, timeout: 10_000 });
  try {
    const sql = `select count(*) as n from servers where status = 'online' and connection_epoch >= ?`;
    return (db.prepare(sql).get(epoch) as { n: number }).n;
  } finally {
    db.close();
  }
}

function serverRow(account: string, number: number, key: string): Values {
  const now = Date.now();
  return {
    id: newId('server'),
    account_id: account,
    name: `bench-${number}`,
    environment: 'production',
    status: 'pending',
    key_hash: hashOf(key),
    connection_epoch: 0,
    created_at: now,
    updated_at: now,
  };
}

function instanceRow(definition: Values): Values {
  const now = Date.now();
  return {
    id: newId('instance'),
    account_id: definition.account_id ?? null,
    definition_id: definition.id ?? null,
    server_id: definition.server_id ?? null,
    container_id: randomBytes(32).toString('hex'),
    container_name: definition.container_name ?? null,
    status: 'running',
    health: 'healthy',
    revision: 1,
    components: '[]',
    drift: '[]',
    drifted_at: null,
    heals: 0,
    healed_at: null,
    created_at: now,
    updated_at: now,
  };
}
