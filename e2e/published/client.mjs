// A client written from the published interface alone: Node, nothing of this project. It calls each of the 97 published endpoints.
// Environment: BASE_URL, API_KEY (of an admin), SERVER_ID and KEY_FILE (a server whose daemon is connected), IMAGE (name:tag of a
// web server's image that the server has), and UID_PREFIX for names that nothing else uses.
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

const { BASE_URL, API_KEY, SERVER_ID, KEY_FILE, IMAGE, UID_PREFIX } = process.env;

const published = `
GET /templates
GET /templates/featured
GET /templates/upcoming
GET /templates/{species}
GET /catalog
GET /catalog/categories
GET /taxonomy/tree
GET /taxonomy/kingdoms
GET /taxonomy/kingdoms/{kingdom_id}
GET /taxonomy/families/{family_id}
GET /taxonomy/species/{species_id}
POST /match
GET /definitions
POST /definitions
GET /definitions/{id}
PUT /definitions/{id}
DELETE /definitions/{id}
POST /definitions/{id}/activate
GET /definitions/{id}/revisions
POST /definitions/{id}/revisions/{number}/restore
GET /definitions/{id}/secrets
GET /instances
GET /instances/stats
GET /instances/{id}
POST /instances/report
POST /instances/components/sync
POST /instances/{id}/drift
GET /instances/{id}/deployments
POST /instances/{id}/release
POST /instances/{id}/restart
POST /instances/{id}/stop
POST /instances/{id}/start
GET /instances/{id}/actions
POST /instances/{id}/actions/{slug}/execute
GET /actions/{execution_id}
PUT /actions/{execution_id}
GET /instances/{id}/actions/history
GET /playbooks
GET /playbooks/{playbook_type}
GET /servers
POST /servers/register
POST /servers
GET /servers/{id}
PUT /servers/{id}
DELETE /servers/{id}
POST /servers/{id}/rotate-key
GET /server-capacity
GET /server-capacity/{server_id}
PUT /server-capacity/{server_id}
GET /user/servers
GET /deployments
POST /deployments/execute
POST /deployments
GET /deployments/pending
GET /deployments/{id}
PATCH /deployments/{id}/status
POST /deployments/{id}/rollback
GET /manifest
POST /deploy/report
GET /tenants
POST /tenants
GET /tenants/{id}
PATCH /tenants/{id}/suspend
PATCH /tenants/{id}/resume
PATCH /tenants/{id}/active
POST /tenants/{id}/migrate
DELETE /tenants/{id}
GET /webhooks/endpoints
POST /webhooks/endpoints
POST /webhooks
DELETE /webhooks/endpoints/{id}
GET /events
GET /recipes
GET /recipes/by-slug/{slug}
GET /recipes/mine
POST /recipes
PATCH /recipes/{id}
POST /recipes/{id}/upvote
PATCH /recipes/{id}/withdraw
DELETE /recipes/{id}
GET /recipes/pending
POST /recipes/{id}/approve
POST /recipes/{id}/reject
GET /saved-configs
POST /saved-configs
GET /saved-configs/{id}
PATCH /saved-configs/{id}
DELETE /saved-configs/{id}
GET /upgrades
POST /upgrades/scan
POST /upgrades/{id}/ack
POST /upgrades/{id}/apply
POST /copilot/ask
GET /copilot/usage
GET /implant/{os_type}/{arch}
GET /implant/{os_type}/{arch}/download
GET /health`
  .trim()
  .split('\n');
assert.equal(published.length, 97);

const codes = {
  UNAUTHORIZED: 401,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  VALIDATION_ERROR: 422,
  RATE_LIMITED: 429,
  SERVER_ERROR: 500,
};
const called = new Set();

/** Calls a published endpoint: `name` is its method and path as published, `path` the values in braces, in their order. */
async function call(name, { path = [], query = {}, body, key = API_KEY, refused } = {}) {
  assert.ok(published.includes(name), `${name} is not published`);
  const [method, template] = name.split(' ');
  const values = [...path];
  const address = template.replace(/\{\w+\}/g, () => encodeURIComponent(values.shift()));
  const response = await fetch(`${BASE_URL}${address}?${new URLSearchParams(query)}`, {
    method,
    headers: {
      ...(key === null ? {} : { authorization: `Bearer ${key}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  for (const header of ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset'])
    assert.match(response.headers.get(header) ?? '', /^\d+$/, `${header} of ${name}`);
  if (name.endsWith('/download')) {
    assert.equal(response.status, 200);
    called.add(name);
    return Buffer.from(await response.arrayBuffer());
  }
  assert.match(response.headers.get('content-type') ?? '', /^application\/json/, name);
  const answer = await response.json();
  const told = `${name} ${address}: ${response.status} ${JSON.stringify(answer).slice(0, 600)}`;
  if (refused === undefined) {
    assert.equal(answer.success, true, told);
    assert.ok(response.ok, told);
    called.add(name);
  } else {
    assert.equal(answer.success, false, told);
    assert.equal(answer.error.code, refused, told);
    assert.equal(response.status, codes[refused], told);
    assert.equal(typeof answer.error.message, 'string');
  }
  return answer;
}

async function until(what, look, within = 120_000) {
  const end = Date.now() + within;
  for (;;) {
    const found = await look();
    if (found) return found;
    assert.ok(Date.now() < end, `waited too long for ${what}`);
    await sleep(150);
  }
}

const has = (record, fields) => {
  for (const field of fields.split(' '))
    assert.ok(field in record, `${field} is missing in ${JSON.stringify(record).slice(0, 400)}`);
  return record;
};
const isTime = (text) => assert.equal(new Date(text).toISOString().slice(0, 19), text.slice(0, 19));

function isList({ data, pagination }) {
  assert.ok(Array.isArray(data));
  has(pagination, 'page per_page total');
  return data;
}

async function deployed(name, body, wanted = 'success') {
  const { data } = await call(name, { body });
  has(data, 'id definition_id server_id status created_at');
  assert.equal(data.status, 'pending');
  return finished(data.id, wanted);
}

async function finished(id, wanted = 'success') {
  const deployment = await until(`deployment ${id}`, async () => {
    const { data } = await call('GET /deployments/{id}', { path: [id] });
    return (data.status === 'success' || data.status === 'failed') && data;
  });
  assert.equal(deployment.status, wanted, JSON.stringify(deployment));
  assert.ok(Array.isArray(deployment.logs));
  return deployment;
}

/** Waits for an execution as the document says: its status is polled until it is final. */
async function ended(id, wanted = 'completed') {
  const execution = await until(`execution ${id}`, async () => {
    const answer = await call('GET /actions/{execution_id}', { path: [id] });
    return !['pending', 'sent', 'running'].includes(answer.execution.status) && answer.execution;
  });
  assert.equal(execution.status, wanted, JSON.stringify(execution));
  return execution;
}

const instanceOf = async (definitionId) =>
  isList(await call('GET /instances', { query: { per_page: 100 } })).find((one) => one.definition_id === definitionId);
const becomes = (id, status) =>
  until(`instance ${id} to be ${status}`, async () => {
    const { data } = await call('GET /instances/{id}', { path: [id] });
    return data.status === status && data;
  });

// Authentication and health.
const health = await call('GET /health', { key: null });
assert.equal(health.status, 'healthy');
isTime(health.timestamp);
await call('GET /servers', { key: null, refused: 'UNAUTHORIZED' });
await call('GET /servers', { key: 'wrong', refused: 'UNAUTHORIZED' });
await call('GET /servers/{id}', { path: ['nothing'], refused: 'NOT_FOUND' });

// Catalog and taxonomy.
const templates = isList(await call('GET /templates', { query: { page: 1, per_page: 20 } }));
const template = has(
  templates.find(({ species }) => species === 'shop'),
  'id species archetype version taxonomy spec_hash status',
);
assert.match(template.spec_hash, /^sha256:[0-9a-f]{64}$/);
assert.equal(template.status, 'published');
has(template.taxonomy, 'kingdom family species');
has(template, 'name deprecated created_at');
isList(await call('GET /templates/featured'));
isList(await call('GET /templates/upcoming'));
const bySpecies = (await call('GET /templates/{species}', { path: ['shop'] })).data;
has(bySpecies, 'id species archetype version spec spec_hash');
has(bySpecies.spec, 'image inputs secrets routes healthcheck storage');
assert.equal(typeof bySpecies.spec.image, 'string');
const byId = (await call('GET /templates/{species}', { path: [template.id] })).data;
has(byId, 'id name description version taxonomy spec spec_hash');
has(byId.spec, 'image user_inputs profiles ports volumes');
assert.equal(typeof byId.spec.image.tag, 'string');
const { kingdom, family } = template.taxonomy;
await call('GET /catalog', { query: { family } });
await call('GET /catalog/categories');
await call('GET /taxonomy/tree');
await call('GET /taxonomy/kingdoms');
await call('GET /taxonomy/kingdoms/{kingdom_id}', { path: [kingdom] });
await call('GET /taxonomy/families/{family_id}', { path: [family] });
await call('GET /taxonomy/species/{species_id}', { path: ['shop'] });
await call('POST /match', { body: { needs: [{ class: 'http.page' }] } });
const playbooks = (await call('GET /playbooks')).data;
await call('GET /playbooks/{playbook_type}', { path: [playbooks[0].type] });

// Webhooks, with a receiver that checks the signature.
const secret = 'short';
const deliveries = [];
const receiver = createServer((request, response) => {
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    const raw = Buffer.concat(chunks);
    const signature = createHmac('sha256', secret).update(raw).digest('hex');
    const right = request.headers['x-service-signature'] === signature;
    if (right) deliveries.push(JSON.parse(raw).type);
    response.writeHead(right ? 200 : 403).end();
  });
});
await new Promise((done) => receiver.listen(0, '127.0.0.1', done));
const url = `http://127.0.0.1:${receiver.address().port}/`;
const events = [
  'deployment.started',
  'deployment.success',
  'deployment.failed',
  'instance.started',
  'instance.stopped',
  'action.completed',
  'action.failed',
  'definition.created',
  'definition.updated',
];
const { data: webhook } = await call('POST /webhooks/endpoints', { body: { url, events, secret } });
const { data: another } = await call('POST /webhooks', { body: { url, events: ['instance.unhealthy'], secret } });
assert.ok(isList(await call('GET /webhooks/endpoints')).some(({ id }) => id === webhook.id));
await call('DELETE /webhooks/endpoints/{id}', { path: [another.id] });
await call('DELETE /webhooks/endpoints/{id}', { path: [another.id] });

// Servers.
const { data: registered } = await call('POST /servers/register', { body: { name: 'paper', environment: 'staging' } });
has(registered, 'id name api_key status created_at');
const { data: second } = await call('POST /servers', {
  body: { name: 'second', environment: 'development', description: 'x' },
});
assert.equal(second.status, 'pending');
isList(await call('GET /servers'));
isList(await call('GET /user/servers'));
const { data: server } = await call('GET /servers/{id}', { path: [second.id] });
assert.ok(!('api_key' in server), 'the key is shown once');
const { data: renamed } = await call('PUT /servers/{id}', { path: [second.id], body: { ...server, name: 'renamed' } });
assert.equal(renamed.name, 'renamed');
await call('DELETE /servers/{id}', { path: [second.id] });
await call('DELETE /servers/{id}', { path: [second.id] });
await until('the capacity', async () => {
  const { data } = await call('GET /server-capacity/{server_id}', { path: [SERVER_ID] });
  return data.memory?.free > 0;
});
await call('GET /server-capacity');

// A server whose daemon only uses REST: the client plays it.
const paper = { key: registered.api_key };
const capacity = { memory: { used: 1, free: 2 }, cpu: { cores: 1, used_percent: 1 }, disk: { used: 1, free: 2 } };
await call('PUT /server-capacity/{server_id}', { ...paper, path: [registered.id], body: capacity });
const onPaper = (
  await call('POST /definitions', {
    body: { template_id: template.id, name: `${UID_PREFIX} paper`, server_id: registered.id, params: {} },
  })
).data;
assert.deepEqual([onPaper.status, onPaper.current_revision], ['pending', 1]);
const { data: ordered } = await call('POST /deployments', {
  body: { definition_id: onPaper.id, server_id: registered.id },
});
const waiting = (await call('GET /deployments/pending', paper)).data;
assert.deepEqual(
  waiting.map(({ id }) => id),
  [ordered.id],
);
// The status that it has already is accepted.
for (const status of ['pending', 'pending', 'running', 'running'])
  await call('PATCH /deployments/{id}/status', { ...paper, path: [ordered.id], body: { status } });
await call('GET /manifest', { ...paper, query: { definition_id: onPaper.id } });
const told = {
  deployment_id: ordered.id,
  status: 'success',
  instance: { container_id: 'c1', container_name: 'paper-1', status: 'running', health: 'healthy' },
};
await call('POST /deploy/report', { ...paper, body: told });
const onPaperInstance = await instanceOf(onPaper.id);
has(onPaperInstance, 'id definition_id container_id container_name status health started_at uptime_seconds');
assert.deepEqual(
  [onPaperInstance.status, onPaperInstance.health, onPaperInstance.container_name],
  ['running', 'healthy', 'paper-1'],
);
await call('POST /instances/report', {
  ...paper,
  body: { instances: [{ definition_id: onPaper.id, status: 'running', health: 'unhealthy' }] },
});
const { data: outcome } = await call('POST /instances/report', {
  ...paper,
  body: {
    instances: [
      { id: onPaperInstance.id, status: 'running', health: 'healthy', mood: 'cheerful' },
      { id: 'ins_unknown', status: 'running' },
    ],
  },
});
assert.equal(outcome.accepted, 1);
assert.deepEqual(
  outcome.unrecognised.map(({ entry, field }) => [entry, field]),
  [
    [0, 'mood'],
    [1, 'id'],
  ],
);
assert.equal((await call('GET /instances/{id}', { path: [onPaperInstance.id] })).data.health, 'healthy');
await call('POST /instances/components/sync', {
  ...paper,
  body: { instance_id: onPaperInstance.id, components: [{ name: 'web', status: 'running' }] },
});
await call('POST /instances/{id}/drift', { ...paper, path: [onPaperInstance.id], body: { drift: [] } });
await call('GET /instances/{id}', { path: [onPaperInstance.id], ...paper });

// Definitions and deployments, with the daemon.
const uid = `${UID_PREFIX}-shop`;
const shapeA = { species: 'shop', instance_uid: uid, server_id: SERVER_ID, inputs: { GREETING: 'one' } };
const { data: definition } = await call('POST /definitions', { body: shapeA });
has(definition, 'id name template_id server_id status current_revision container_name created_at updated_at');
await call('POST /definitions', { body: shapeA, refused: 'VALIDATION_ERROR' });
await call('POST /definitions', { body: {}, refused: 'VALIDATION_ERROR' });
await deployed('POST /deployments/execute', { definition_id: definition.id });
assert.equal((await call('GET /definitions/{id}', { path: [definition.id] })).data.status, 'active');
isList(await call('GET /definitions', { query: { server_id: SERVER_ID, status: 'active', page: 1, per_page: 5 } }));
await call('GET /definitions', { query: { per_page: 0 }, refused: 'VALIDATION_ERROR' });
const instance = await instanceOf(definition.id);
assert.deepEqual([instance.status, instance.health, instance.container_name], ['running', 'healthy', uid]);
await call('GET /instances/stats');
await call('GET /manifest', { query: { instance_id: instance.id } });
const { data: revised } = await call('PUT /definitions/{id}', {
  path: [definition.id],
  body: { params: { GREETING: 'two' } },
});
assert.equal(revised.current_revision, 2);
const newer = await deployed('POST /deployments/execute', { definition_id: definition.id });
const { data: back } = await call('POST /deployments/{id}/rollback', { path: [newer.id] });
await finished(back.id);
assert.equal((await call('GET /definitions/{id}', { path: [definition.id] })).data.current_revision, 1);
isList(await call('GET /definitions/{id}/revisions', { path: [definition.id] }));
await call('POST /definitions/{id}/revisions/{number}/restore', { path: [definition.id, 2] });
const secrets = (await call('GET /definitions/{id}/secrets', { path: [definition.id] })).data;
assert.ok(secrets.length > 0 && secrets.every((one) => !('value' in one)));
isList(await call('GET /deployments'));
isList(await call('GET /instances/{id}/deployments', { path: [instance.id] }));
const { data: unhealthy } = await call('POST /definitions', {
  body: { species: 'unhealthy', instance_uid: `${UID_PREFIX}-unhealthy`, server_id: SERVER_ID, inputs: {} },
});
const sick = await deployed('POST /deployments/execute', { definition_id: unhealthy.id }, 'failed');
assert.match(sick.error, /health/);

// Actions.
const listed = await call('GET /instances/{id}/actions', { path: [instance.id] });
has(listed, 'template_species actions backup');
has(listed.backup, 'strategy volumes dump_action schedule_hint');
const note = listed.actions.find(({ slug }) => slug === 'note');
has(note, 'name slug description type timeout dangerous params');
assert.match(note.timeout, /^\d+s$/);
for (const param of note.params) has(param, 'name type required default');
const execute = async (slug, params = {}) =>
  (await call('POST /instances/{id}/actions/{slug}/execute', { path: [instance.id, slug], body: { params } })).execution
    .id;
const noted = await ended(await execute('note', { line: `a "line" $HOME` }));
assert.deepEqual([noted.exit_code, noted.output], [0, 'wrote a "line" $HOME\n']);
const read = await ended(await execute('lines'));
assert.equal(read.output, 'a "line" $HOME\n');
assert.equal((await ended(await execute('fail'), 'failed')).exit_code, 3);
// In another component, by the name that the daemon gave its container, with the environment of the action.
assert.equal((await ended(await execute('greet', { whom: 'Ada' }))).output, 'Hello Ada\n');
// What the daemon cannot run fails by name.
for (const slug of ['ping', 'rebuild'])
  assert.match((await ended(await execute(slug), 'failed')).error, /needs the daemon hortusd/);
await call('PUT /actions/{execution_id}', { path: [read.id], body: { status: 'completed' } });
await call('PUT /actions/{execution_id}', { path: [read.id], body: { status: 'failed' }, refused: 'VALIDATION_ERROR' });
isList(await call('GET /instances/{id}/actions/history', { path: [instance.id] }));

// Built-in orders.
const order = async (what, status) => {
  const answer = await call(`POST /instances/{id}/${what}`, { path: [instance.id] });
  await ended(answer.execution.id);
  return becomes(instance.id, status);
};
await order('stop', 'stopped');
await order('start', 'running');
await order('restart', 'running');

// Key rotation: the old key is revoked at once, an operator installs the new one, the daemon reconnects.
const oldKey = readFileSync(KEY_FILE, 'utf8').trim();
const { data: rotated } = await call('POST /servers/{id}/rotate-key', { path: [SERVER_ID] });
assert.equal(rotated.old_key_valid_until, null);
await call('GET /deployments/pending', { key: oldKey, refused: 'UNAUTHORIZED' });
writeFileSync(KEY_FILE, rotated.api_key);
await order('restart', 'running');

// Tenants: suspending stops what runs, resuming starts it.
const { data: tenant } = await call('POST /tenants', { body: { name: `${UID_PREFIX} tenant`, server_id: SERVER_ID } });
const sameName = await call('POST /tenants', {
  body: { name: tenant.name, server_id: SERVER_ID },
  refused: 'VALIDATION_ERROR',
});
assert.match(sameName.error.message, /^name: /);
isList(await call('GET /tenants'));
const { data: member } = await call('POST /definitions', {
  body: {
    species: 'website',
    instance_uid: `${UID_PREFIX}-member`,
    server_id: SERVER_ID,
    inputs: {},
    tenant_id: tenant.id,
  },
});
await deployed('POST /deployments', { definition_id: member.id });
const memberInstance = await instanceOf(member.id);
assert.equal((await call('PATCH /tenants/{id}/suspend', { path: [tenant.id] })).data.status, 'suspended');
await becomes(memberInstance.id, 'stopped');
await call('POST /deployments/execute', { body: { definition_id: member.id }, refused: 'VALIDATION_ERROR' });
assert.equal((await call('PATCH /tenants/{id}/resume', { path: [tenant.id] })).data.status, 'active');
await becomes(memberInstance.id, 'running');
await call('PATCH /tenants/{id}/active', { path: [tenant.id] });
// Migration needs both servers to have the service's own daemon: the error says so, a plan is answered.
const migration = { path: [tenant.id], body: { server_id: registered.id } };
const refusal = await call('POST /tenants/{id}/migrate', { ...migration, refused: 'VALIDATION_ERROR' });
assert.match(JSON.stringify(refusal.error), /hortusd/);
await call('POST /tenants/{id}/migrate', { ...migration, body: { ...migration.body, dry_run: true } });
await call('GET /tenants/{id}', { path: [tenant.id] });

// Archiving removes the containers; a second DELETE is fine; the definition can come back.
for (const _ of [1, 2])
  assert.equal((await call('DELETE /definitions/{id}', { path: [member.id] })).data.status, 'archived');
await becomes(memberInstance.id, 'released');
await call('DELETE /tenants/{id}', { path: [tenant.id] });
await call('DELETE /tenants/{id}', { path: [tenant.id] });
const unhealthyInstance = await instanceOf(unhealthy.id);
await call('DELETE /definitions/{id}', { path: [unhealthy.id] });
await becomes(unhealthyInstance.id, 'released');
assert.notEqual((await call('POST /definitions/{id}/activate', { path: [unhealthy.id] })).data.status, 'archived');

// Saved configs.
const { data: config } = await call('POST /saved-configs', {
  body: { name: 'House', species: 'website', inputs: { GREETING: 'hi' } },
});
isList(await call('GET /saved-configs'));
await call('GET /saved-configs/{id}', { path: [config.id] });
await call('PATCH /saved-configs/{id}', { path: [config.id], body: { ...config, name: 'Home' } });
await call('DELETE /saved-configs/{id}', { path: [config.id] });
await call('DELETE /saved-configs/{id}', { path: [config.id] });

// Recipes, and an upgrade from one version of a recipe to the next.
const [repository, tag] = IMAGE.split(/:(?=[^:]*$)/);
const slug = 'published-recipe';
const data = `storage: [{name: data, mount_path: /data, critical: true}]
backup: {strategy: volume, volumes: [{name: data, critical: true}], schedule_hint: daily}
`;
const recipe = (version, slug = 'published-recipe', more = data) => ({
  slug,
  name: 'A page',
  description: 'Serves one page.',
  spec: `slug: ${slug}
name: A page
version: ${version}
archetype: application
taxonomy: {kingdom: applications, family: website}
image: {repository: ${repository}, tag: "${tag}"}
command: [httpd, -f, -p, "8080", -h, /www]
stop_signal: SIGKILL
files: [{mount_path: /www/index.html, mode: "0644", content: "${version}"}]
healthcheck: {http: {port: 8080, path: /}}
${more}`,
});
const publish = async (...args) => {
  const { data } = await call('POST /recipes', { body: recipe(...args) });
  assert.ok((await call('GET /recipes/pending')).data.some(({ id }) => id === data.id));
  assert.equal((await call('POST /recipes/{id}/approve', { path: [data.id] })).data.status, 'approved');
  return data.id;
};
const approved = await publish('1.0.0');
await call('POST /recipes/{id}/upvote', { path: [approved] });
isList(await call('GET /recipes'));
await call('GET /recipes/by-slug/{slug}', { path: [slug] });
isList(await call('GET /recipes/mine'));
const { data: edited } = await call('POST /recipes', { body: recipe('9.0.0') });
await call('PATCH /recipes/{id}', { path: [edited.id], body: { description: 'Changed.' } });
await call('PATCH /recipes/{id}/withdraw', { path: [edited.id] });
const { data: bad } = await call('POST /recipes', { body: recipe('9.1.0') });
assert.equal((await call('POST /recipes/{id}/reject', { path: [bad.id] })).data.status, 'rejected');
await call('DELETE /recipes/{id}', { path: [bad.id] });
await call('DELETE /recipes/{id}', { path: [bad.id] });
const { data: page } = await call('POST /definitions', {
  body: { species: slug, instance_uid: `${UID_PREFIX}-page`, server_id: SERVER_ID, inputs: {} },
});
await deployed('POST /deployments/execute', { definition_id: page.id });
await publish('1.1.0');
await call('POST /upgrades/scan');
const offered = await until('the upgrade', async () =>
  isList(await call('GET /upgrades')).find(({ definition_id }) => definition_id === page.id),
);
await call('POST /upgrades/{id}/ack', { path: [offered.id] });
// The daemon cannot make the declared backup; the refusal names the way without one.
const unprotected = await call('POST /upgrades/{id}/apply', { path: [offered.id], refused: 'VALIDATION_ERROR' });
assert.match(unprotected.error.message, /^without_backup: .*set without_backup/);
await call('POST /upgrades/{id}/apply', { path: [offered.id], body: { without_backup: true } });
await until('the upgraded definition', async () => {
  const { data } = await call('GET /deployments', { query: { per_page: 100 } });
  return data.some(
    ({ definition_id, revision, status }) => definition_id === page.id && revision > 1 && status === 'success',
  );
});

// A tenant without volumes moves to the server whose daemon only uses REST: the client plays that one again.
await publish('1.0.0', 'published-plain', '');
const { data: mover } = await call('POST /tenants', { body: { name: `${UID_PREFIX} mover`, server_id: SERVER_ID } });
const { data: plain } = await call('POST /definitions', {
  body: {
    species: 'published-plain',
    instance_uid: `${UID_PREFIX}-plain`,
    server_id: SERVER_ID,
    inputs: {},
    tenant_id: mover.id,
  },
});
await deployed('POST /deployments', { definition_id: plain.id });
await call('POST /tenants/{id}/migrate', { path: [mover.id], body: { server_id: registered.id } });
const arriving = await until('the deployment on the other server', async () =>
  (await call('GET /deployments/pending', paper)).data.find(({ definition_id }) => definition_id === plain.id),
);
await call('PATCH /deployments/{id}/status', { ...paper, path: [arriving.id], body: { status: 'running' } });
await call('GET /manifest', { ...paper, query: { deployment_id: arriving.id } });
await call('POST /deploy/report', { ...paper, body: { deployment_id: arriving.id, status: 'success' } });
await until('the tenant to have moved', async () => {
  const { data } = await call('GET /tenants/{id}', { path: [mover.id] });
  return data.status === 'active' && data.server_id === registered.id;
});
assert.equal((await call('GET /definitions/{id}', { path: [plain.id] })).data.server_id, registered.id);

// Assistant, agent, events.
const { data: answer } = await call('POST /copilot/ask', { body: { question: 'How do I serve a page?' } });
has(answer, 'answer sources');
await call('GET /copilot/usage');
const { data: agent } = await call('GET /implant/{os_type}/{arch}', { path: ['linux', 'amd64'] });
assert.equal((await call('GET /implant/{os_type}/{arch}/download', { path: ['linux', 'amd64'] })).length, agent.size);
await call('GET /implant/{os_type}/{arch}', { path: ['plan9', 'amd64'], refused: 'NOT_FOUND' });
const fired = isList(await call('GET /events', { query: { per_page: 100 } })).map(({ type }) => type);
assert.ok(fired.includes('action.completed') || fired.includes('instance.started'));

// Deleted and created again with the same name and host: the old container goes first.
const before = await instanceOf(definition.id);
await call('DELETE /definitions/{id}', { path: [definition.id] });
const { data: renewed } = await call('POST /definitions', { body: shapeA });
await deployed('POST /deployments/execute', { definition_id: renewed.id });
await becomes(before.id, 'released');
const renewedInstance = await instanceOf(renewed.id);

// Release with the volumes, last.
const volumes = listed.backup.volumes.map(({ name }) => name);
await call('POST /instances/{id}/release', {
  path: [renewedInstance.id],
  body: { remove_volumes: true },
  refused: 'VALIDATION_ERROR',
});
const released = await call('POST /instances/{id}/release', {
  path: [renewedInstance.id],
  body: { remove_volumes: true, confirm: volumes },
});
await ended(released.execution.id);
await becomes(renewedInstance.id, 'released');

await until('the deliveries', () => events.every((type) => deliveries.includes(type)), 30_000);
receiver.close();
receiver.closeAllConnections();

const missing = published.filter((name) => !called.has(name));
assert.deepEqual(missing, []);
console.log(`all ${called.size} published endpoints were called`);
