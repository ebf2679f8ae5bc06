import { createHash, randomBytes } from 'node:crypto';

/** Rows written by one `POST /definitions` of the static site, for limits that write them without a service. */
export const parents = {
  account: 'acc_00000000000000000000000000',
  server: 'srv_00000000000000000000000000',
  template: 'tpl_00000000000000000000000000',
  hash: `sha256:${createHash('sha256').update('x').digest('hex')}`,
};

const now = 1_760_000_000_000;
const key = 'key_00000000000000000000000000';

export const parentRows = [
  `insert into accounts (id, name, plan, created_at) values ('${parents.account}', 'bench', 'enterprise', ${now})`,
  `insert into servers (id, account_id, name, environment, status, key_hash, connection_epoch, created_at, updated_at)
   values ('${parents.server}', '${parents.account}', 'bench', 'production', 'pending', 'x', 0, ${now}, ${now})`,
  `insert into templates (id, owner, species, version, name, description, archetype, kingdom, family, app_version, spec,
   spec_hash, status, deprecated, featured, created_at, updated_at) values ('${parents.template}', 'bench', 'bench', '1.0.0', 'Bench', '',
   'asset', 'assets', 'website', '1', '{}', '${parents.hash}', 'published', 0, 0, ${now}, ${now})`,
];

type Values = Readonly<Record<string, string | number | null>>;

/** Returns the values of the three rows with this number. */
export function definitionRows(
  number: number,
  owner = parents,
): { definitions: Values; events: Values; revisions: Values } {
  const random = randomBytes(8).toString('hex').slice(0, 13);
  const id = String(number).padStart(13, '0') + random;
  const uid = `bench-${number}`;
  const definition = {
    id: `def_${id}`,
    name: uid,
    instance_uid: uid,
    template_id: owner.template,
    server_id: owner.server,
    status: 'pending',
    current_revision: 1,
  };
  const { id: definitionId, ...reported } = definition;
  return {
    definitions: {
      ...definition,
      account_id: owner.account,
      last_revision: 1,
      container_name: uid,
      succeeded_at: null,
      created_at: now,
      updated_at: now,
    },
    events: {
      id: `evt_${id}`,
      type: 'definition.created',
      account_id: owner.account,
      resource_type: 'definition',
      resource_id: definitionId,
      actor: key,
      data: JSON.stringify({ definition_id: definitionId, ...reported }),
      created_at: now,
    },
    revisions: {
      definition_id: definitionId,
      number: 1,
      template_id: owner.template,
      spec_hash: parents.hash,
      profile: 'development',
      variant: null,
      inputs: '{"WEB_HOSTNAME":"bench.example.org"}',
      secret_inputs: '[]',
      created_by: key,
      created_at: now,
    },
  };
}

/** Builds `insert into t (…) values (…)` with `place(column, index)` for each value. */
export const insertText = (table: string, row: Values, place: (column: string, index: number) => string): string =>
  `insert into ${table} (${Object.keys(row).join(', ')}) values (${Object.keys(row).map(place).join(', ')})`;
