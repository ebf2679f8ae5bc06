import { createHash } from 'node:crypto';

/** The rows that one `POST /definitions` of the static site writes, for the limits that write them without a service. */
export const ground = {
  account: 'acc_00000000000000000000000000',
  server: 'srv_00000000000000000000000000',
  template: 'tpl_00000000000000000000000000',
  hash: `sha256:${createHash('sha256').update('x').digest('hex')}`,
};

const now = '1760000000000';
const data =
  '{"definition_id":"def_01m7eg48qy0008dtqvjxbmc3vt","name":"bench-1760000000000","instance_uid":"bench-1760000000000","template_id":"tpl_01m7eg48qy0008dtqvjxbmc3vt","server_id":"srv_01m7eg48qy0008dtqvjxbmc3vt","status":"pending","current_revision":1}';

export const groundRows = [
  `insert into accounts (id, name, plan, created_at) values ('${ground.account}', 'bench', 'enterprise', ${now})`,
  `insert into servers (id, account_id, name, environment, status, key_hash, connection_epoch, created_at, updated_at)
   values ('${ground.server}', '${ground.account}', 'bench', 'production', 'pending', 'x', 0, ${now}, ${now})`,
  `insert into templates (id, owner, species, version, name, description, archetype, kingdom, family, app_version, spec,
   spec_hash, status, deprecated, featured, created_at, updated_at) values ('${ground.template}', 'bench', 'bench', '1.0.0', 'Bench', '',
   'asset', 'assets', 'website', '1', '{}', '${ground.hash}', 'published', 0, 0, ${now}, ${now})`,
];

/** Three inserts, with `id(prefix)` an SQL expression of a text that is never the same twice, and `seq` one of a number. */
export const definitionInserts = (id: (prefix: string) => string, seq: string): string[] => [
  `insert into definitions (id, account_id, name, instance_uid, template_id, server_id, current_revision, last_revision,
   container_name, succeeded_at, created_at, updated_at, status) values (${id('def_')}, '${ground.account}', ${id('bench-')},
   ${id('bench-')}, '${ground.template}', '${ground.server}', 1, 1, ${id('bench-')}, null, ${now}, ${now}, 'pending')`,
  `insert into events (id, seq, type, account_id, resource_type, resource_id, actor, data, created_at) values (${id('evt_')}, ${seq},
   'definition.created', '${ground.account}', 'definition', ${id('def_')}, 'key_00000000000000000000000000', '${data}', ${now})`,
  `insert into revisions (definition_id, number, template_id, spec_hash, profile, variant, inputs, secret_inputs, created_by,
   created_at) values (${id('def_')}, 1, '${ground.template}', '${ground.hash}', 'development', null,
   '{"WEB_HOSTNAME":"bench.example.org"}', '[]', 'key_00000000000000000000000000', ${now})`,
];
