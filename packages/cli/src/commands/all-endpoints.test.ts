import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Client, createClient } from '@hortus/client/client';
import { startReceiver } from '@hortus/testkit/receiver';
import { temporaryFolder } from '@hortus/testkit/temporary-folder';
import { until } from '@hortus/testkit/until';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { Failure } from '../failure.ts';
import { run } from '../run.ts';
import { type RealService, startRealService } from '../testing/real-service.ts';
import { scriptedTerminal, scriptedWorld } from '../testing/scripted-terminal.ts';
import { table } from './table.ts';

/** Runs the real service in its own process and the commands in this one, which is faster. */
let service: RealService;
let url: string;
let key: string;
let client: Client;

beforeAll(async () => {
  service = await startRealService({ HORTUS_WEBHOOK_ALLOW_PRIVATE: 'true' });
  key = service.key;
  url = `${service.address}/api/v1`;
  client = createClient({ baseUrl: url, key });
  await hortus('servers', 'register', 'web-1');
  await createAndDeploy('landing');
}, 200_000);
afterAll(() => service?.stop());

/** Runs a command as a script does: no terminal, `input` on standard input. */
async function hortusWith(input: string, ...argv: string[]) {
  const terminal = scriptedTerminal([], { interactive: false, readInput: async () => input, width: 400 });
  const world = scriptedWorld(terminal, { HORTUS_URL: url, HORTUS_KEY: key });
  const code = await run(argv, { ...world, now: Date.now });
  return { code, out: terminal.printed, err: terminal.noted };
}
const hortus = (...argv: string[]) => hortusWith('', ...argv);
/** Returns the parsed output of --json. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into records of every shape
const json = async (...argv: string[]): Promise<any> => {
  const { code, out, err } = await hortus(...argv, '--json');
  expect(err, argv.join(' ')).toBe('');
  expect(code).toBe(0);
  return JSON.parse(out);
};

/** Creates a definition and reports its deployment as successful. */
async function createAndDeploy(name: string, species = 'static-site') {
  const { data: servers } = await client.call('servers.list', {});
  const inputs = species === 'static-site' ? { WEB_HOSTNAME: `${name}.example.org` } : {};
  const body = { species, instance_uid: name, server_id: servers[0]?.id ?? '', inputs, watch_seconds: 0 };
  const { id } = (await client.call('definitions.create', { body })).data;
  const deployment = (await client.call('deployments.execute', { body: { definition_id: id } })).data;
  await client.call('deployments.status', { params: { id: deployment.id }, body: { status: 'success' } });
  return id;
}

test('definitions: list, show, revisions, restore, archive and activate', async () => {
  expect((await hortus('definitions', 'list')).out).toMatch(/landing +static-site \S+ +web-1 +active +1/);
  expect((await hortus('definitions', 'show', 'landing')).out).toMatch(/WEB_HOSTNAME +landing\.example\.org/);
  await hortus('deploy', '--definition', 'landing', '--set', 'PAGE_TITLE=Soon', '--json');
  const { out } = await hortus('definitions', 'revisions', 'landing');
  expect(out).toMatch(/2 \(current\) .* inputs\.PAGE_TITLE added/);
  expect((await hortus('definitions', 'restore', 'landing', '1')).out).toContain('Revision 1 of landing is current.');
  expect(await hortus('definitions', 'restore', 'landing', 'first')).toMatchObject({ code: 2 });
  expect(await hortus('definitions', 'restore', 'landing', '99')).toMatchObject({ code: 4 });
  await createAndDeploy('fallow');
  expect(await hortus('definitions', 'archive', 'fallow')).toMatchObject({
    code: 2,
    err: expect.stringContaining('--yes'),
  });
  expect((await json('definitions', 'archive', 'fallow', '--yes')).status).toBe('archived');
  expect((await hortus('definitions', 'list', '--status', 'archived')).out).toContain('fallow');
  expect((await hortus('definitions', 'activate', 'fallow')).out).toBe('fallow is active again.\n');
  expect(await hortus('definitions', 'list', '--status', 'asleep')).toMatchObject({ code: 2 });
  expect(await hortus('definitions', 'show', 'nothing')).toMatchObject({ code: 4 });
});

test('tenants: create, suspend, resume and delete', async () => {
  expect((await hortus('tenants', 'list')).out).toContain('hortus tenants create');
  const made = await hortus('tenants', 'create', 'Rose Nursery', '--server', 'web-1');
  expect(made.out).toContain('Rose Nursery was created as tenant rose-nursery on web-1');
  expect((await hortus('tenants', 'list')).out).toMatch(/rose-nursery +Rose Nursery +pending +web-1 +0 of 0/);
  expect(await hortus('tenants', 'suspend', 'rose-nursery')).toMatchObject({ code: 2 });
  await client.call('tenants.activate', { params: { id: (await json('tenants', 'list'))[0].id } });
  expect((await json('tenants', 'suspend', 'rose-nursery', '--yes')).status).toBe('suspended');
  expect((await hortus('tenants', 'resume', 'rose-nursery')).out).toBe('rose-nursery is active.\n');
  expect((await hortus('tenants', 'delete', 'rose-nursery', '--yes')).out).toBe('rose-nursery is deleted.\n');
});

test('saved configs never show passwords', async () => {
  expect((await hortus('configs', 'list')).out).toContain('hortus configs save');
  const values = ['--set', 'PAGE_TITLE=Notes'];
  expect((await hortus('configs', 'save', 'House style', 'static-site', ...values)).code).toBe(0);
  expect((await hortus('configs', 'list')).out).toMatch(/House style +static-site +PAGE_TITLE/);
  expect((await hortus('configs', 'show', 'House style')).out).toMatch(/PAGE_TITLE +Notes/);
  expect(await hortus('configs', 'save', 'Wrong', 'static-site', '--set', 'UNKNOWN=1')).toMatchObject({ code: 6 });
  expect((await hortus('configs', 'delete', 'House style', '--yes')).out).toBe('House style is deleted.\n');
});

test('connections never show secrets, and a need is bound to one when deploying', async () => {
  expect((await hortus('connections', 'list')).out).toContain('hortus connections create');
  const at = ['--set', 'host=db.example.org', '--set', 'port=5432', '--set', 'database=notes'];
  const create = ['connections', 'create', 'Big rows', 'database.postgres', ...at];
  expect(await hortus('connections', 'create', 'Wrong', 'database.postgres')).toMatchObject({ code: 2 });
  const made = await hortusWith('a long password\n', ...create, '--set-file', 'password=-');
  expect(made).toMatchObject({ code: 0 });
  expect((await hortus('connections', 'list')).out).toMatch(/Big rows +database\.postgres +db\.example\.org:5432/);
  const shown = await hortus('connections', 'show', 'Big rows');
  expect(shown.out).toMatch(/password +\(set, not shown\)/);
  expect(made.out + shown.out).not.toContain('a long password');
  expect(await hortus('connections', 'update', 'Big rows')).toMatchObject({ code: 2 });
  const rename = ['connections', 'update', 'Big rows', '--set', 'username=notes'];
  const refused = await hortus(...rename);
  expect([refused.code, refused.out]).toEqual([2, '']);
  expect(refused.err).toContain('password');
  const changed = await hortusWith('a long password\n', ...rename, '--set-file', 'password=-');
  expect(changed.out).toContain('is changed');

  const need = (target: string) => ['--need', `db=${target}`, '--set', 'WEB_HOSTNAME=memos.example.org', '--yes'];
  const deploy = (target: string) => hortus('deploy', 'memos', '--server', 'web-1', ...need(target));
  expect(await deploy('nothing')).toMatchObject({ code: 2 });
  const unknown = await hortus('deploy', 'memos', '--server', 'web-1', ...need('none'), '--need', 'mail=none');
  expect(unknown.err).toContain('has no need mail');
  expect(await deploy('connection:Big rows')).toMatchObject({ code: 0 });
  expect((await hortus('definitions', 'show', 'memos')).out).toMatch(/Need db +con_/);
  const kept = await hortus('connections', 'delete', 'Big rows', '--yes');
  expect(kept).toMatchObject({ code: 6 });
  expect(kept.err).toContain('memos is bound to it');
  await hortus('definitions', 'archive', 'memos', '--yes');
  expect((await hortus('connections', 'delete', 'Big rows', '--yes')).out).toBe('Big rows is deleted.\n');
});

test('vault: set from a pipe, and rotate', async () => {
  await createAndDeploy('rows', 'postgres');
  const secrets = (await client.call('definitions.list', {})).data.find(({ instance_uid }) => instance_uid === 'rows');
  const { data: named } = await client.call('definitions.secrets', { params: { id: secrets?.id ?? '' } });
  const generated = named.find(({ kind }) => kind === 'generated')?.name ?? '';
  const rotated = await hortus('vault', 'rotate', 'rows', generated, '--yes');
  expect(rotated.out).toMatch(/^1 secret rotated in revision 2\./);
  expect(await hortusWith('', 'vault', 'set', 'rows', 'LICENCE')).toMatchObject({ code: 2 });
  const unknown = await hortusWith('a value\n', 'vault', 'set', 'rows', 'LICENCE');
  expect(unknown.code).not.toBe(0);
  expect(unknown.err + unknown.out).not.toContain('a value');
});

test('keys: create prints the key once; list never does; revoke', async () => {
  const made = await json('keys', 'create', 'ci', '--allow', 'templates:read', '--from', '127.0.0.0/8');
  expect(made.key).toMatch(/^hk_live_/);
  const list = await hortus('keys', 'list');
  expect(list.out).toMatch(/ci +hk_live_\S+ +valid .*templates:read/);
  expect(list.out).not.toContain(made.key);
  expect(await hortus('keys', 'create', 'none')).toMatchObject({ code: 2 });
  expect(await hortus('keys', 'create', 'wrong', '--allow', 'moon:walk')).toMatchObject({ code: 2 });
  expect(await hortus('keys', 'revoke', 'ci')).toMatchObject({ code: 2 });
  expect((await hortus('keys', 'revoke', 'ci', '--yes')).out).toBe('ci is revoked.\n');
});

test('members: list, invite with a link shown once, remove', async () => {
  expect((await hortus('members', 'list')).out).toMatch(/root@example\.org +owner/);
  const invited = await hortus('members', 'invite', 'fern@example.org');
  expect(invited.out).toMatch(/fern@example\.org is invited as member\. The link, shown this once:\nhttp/);
  expect((await hortus('members', 'invites')).out).toMatch(/fern@example\.org +member +open/);
  expect(await hortus('members', 'invite', 'fern@example.org', '--role', 'king')).toMatchObject({ code: 2 });
  expect(await hortus('members', 'remove', 'unknown@example.org', '--yes')).toMatchObject({ code: 4 });
});

test('webhooks: add with a secret from a pipe, deliveries, resend, remove', { timeout: 180_000 }, async () => {
  await using receiver = await startReceiver();
  const added = await hortusWith('a long secret\n', 'webhooks', 'add', receiver.url, '--event', 'definition.created');
  expect(added.out).toContain(`Events are sent to ${receiver.url}`);
  expect(await hortusWith('a long secret', 'webhooks', 'add', receiver.url, '--event', 'moon.rise')).toMatchObject({
    code: 2,
  });
  expect((await hortus('webhooks', 'list')).out).toMatch(/active .*definition\.created/);
  await createAndDeploy('told');
  const delivered = async () => (await json('webhooks', 'deliveries', receiver.url))[0]?.status === 'delivered';
  await until(delivered, { describe: 'a delivery' });
  expect((await hortus('webhooks', 'deliveries', receiver.url)).out).toMatch(/definition\.created +delivered +200/);
  const [{ id }] = await json('webhooks', 'deliveries', receiver.url);
  expect((await hortus('webhooks', 'resend', receiver.url, id)).out).toBe('definition.created is being sent again.\n');
  expect((await hortus('webhooks', 'remove', receiver.url, '--yes')).code).toBe(0);
});

describe('events', () => {
  test('are listed and filtered', async () => {
    expect((await hortus('events', '--limit', '5')).out.split('\n')).toHaveLength(7);
    const types = (await json('events', '--type', 'definition.*')).map(({ type }: { type: string }) => type);
    expect(new Set(types.map((type: string) => type.split('.')[0]))).toEqual(new Set(['definition']));
    expect(await hortus('events', '--limit', 'many')).toMatchObject({ code: 2 });
  });

  test('are followed in order and once each until interrupted', async () => {
    let printed = '';
    const terminal = scriptedTerminal([], {
      interactive: false,
      out: (text) => {
        printed += text;
        if (printed.includes('"followed-3"')) throw new Failure('interrupted', 'Enough.');
      },
    });
    const world = scriptedWorld(terminal, { HORTUS_URL: url, HORTUS_KEY: key });
    const creating = (async () => {
      for (const n of [1, 2, 3]) await createAndDeploy(`followed-${n}`);
    })();
    const code = await run(['events', '-f', '--type', 'definition.created', '--json', '--limit', '1'], world);
    await creating;
    expect(code).toBe(130);
    expect(terminal.noted).not.toContain('no stream');
    const lines = printed.trim().split('\n');
    const seen = lines.map((line) => JSON.parse(line));
    expect(seen.map(({ data: { instance_uid } }) => instance_uid).slice(-3)).toEqual([
      'followed-1',
      'followed-2',
      'followed-3',
    ]);
    expect(new Set(seen.map(({ seq }) => seq)).size).toBe(seen.length);
  });
});

test('playbooks, match and ask print their responses', async () => {
  expect((await hortus('playbooks', 'list')).out).toMatch(/upgrade +5/);
  expect((await hortus('playbooks', 'show', 'upgrade')).out).toMatch(/upgrade_watch +Watch/);
  expect((await json('playbooks', 'show', 'release')).steps.at(-1).id).toBe('report_result');
  expect((await hortus('match', 'database.postgres')).out).toMatch(/database\.postgres +postgres/);
  expect(await hortus('match', 'moon.cheese')).toMatchObject({ code: 4, err: expect.stringContaining('moon.cheese') });
  const reply = await hortus('ask', 'Which template is a PostgreSQL database?');
  expect(reply).toMatchObject({ code: 0, err: expect.stringMatching(/\d+ of \d+ questions left/) });
});

test('recipes: submit, list, show, approve, upvote, withdraw and reject', async () => {
  await using folder = temporaryFolder('template');
  const file = join(folder.path, 'template.yaml');
  const write = (slug: string) =>
    writeFileSync(
      file,
      `slug: ${slug}\nname: Moss\nversion: 1.0.0\narchetype: application\ntaxonomy: {kingdom: applications, family: website}\nimage: {repository: docker.io/library/nginx, tag: 1.29.2}\n`,
    );
  write('moss');
  const { id } = await json('recipes', 'submit', file);
  expect((await hortus('recipes', 'list', '--pending')).out).toMatch(/moss +Moss .*pending/);
  expect((await hortus('recipes', 'approve', id)).out).toBe('moss is in the catalog.\n');
  expect((await hortus('recipes', 'show', 'moss')).out).toMatch(/Status +approved/);
  expect((await hortus('recipes', 'upvote', id)).out).toBe('You voted for moss.\n');
  expect((await hortus('recipes', 'withdraw', id)).out).toBe('moss is withdrawn.\n');
  write('lichen');
  const other = (await json('recipes', 'submit', file)).id;
  expect(await hortus('recipes', 'reject', other)).toMatchObject({ code: 2 });
  expect((await hortus('recipes', 'reject', other, '--reason', 'No.')).out).toBe('lichen is rejected.\n');
  expect((await hortus('recipes', 'list', '--mine')).out).toMatch(/lichen .*rejected/);
  expect(await hortus('recipes', 'list', '--mine', '--pending')).toMatchObject({ code: 2 });
});

test('upgrades: scan, acknowledge, and apply with --wait', { timeout: 180_000 }, async () => {
  expect((await hortus('upgrades', 'list')).out).toBe('All instances run the newest version.\n');
  const publish = async (version: string, inputs = '', rules = '') => {
    const source = `slug: fern\nname: Fern\nversion: ${version}\narchetype: application\ntaxonomy: {kingdom: applications, family: website}\nimage: {repository: docker.io/library/nginx, tag: 1.29.2}\ninputs: {required: [${inputs}]}\nstorage: [{name: data, mount_path: /data}]\nbackup: {strategy: volume, volumes: [{name: data}]}\n${rules}`;
    const { id } = (await client.call('drafts.create', { body: { source } })).data;
    await client.call('drafts.validate', { params: { id } });
    await client.call('drafts.promote', { params: { id } });
  };
  await publish('1.0.0');
  await createAndDeploy('fern-1', 'fern');
  await publish('1.1.0', '{name: SHADE, type: string}');
  expect((await hortus('upgrades', 'scan')).out).toMatch(/1 waiting for a decision\.\n$/);
  expect((await hortus('upgrades', 'list')).out).toMatch(/fern-1 +fern +1\.0\.0 +1\.1\.0 +available +--set SHADE=…/);
  expect((await hortus('upgrades', 'ack', 'fern-1')).out).toBe('fern-1 stays on 1.0.0 for now.\n');
  expect(await hortus('upgrades', 'apply', 'fern-1', '--yes')).toMatchObject({
    code: 6,
    err: expect.stringContaining('SHADE'),
  });
  expect(await hortus('upgrades', 'apply')).toMatchObject({ code: 2 });
  expect(await hortus('upgrades', 'apply', '--species', 'fern', '--without-backup')).toMatchObject({ code: 2 });
  // No daemon is there for a backup.
  const applying = hortus('upgrades', 'apply', 'fern-1', '--yes', '--set', 'SHADE=deep', '--without-backup', '--wait');
  const begun = async () => (await json('upgrades', 'list', '--status', 'applying'))[0]?.deployment_id;
  const id = await until(begun, { describe: 'the deployment' });
  await client.call('deployments.status', { params: { id }, body: { status: 'success' } });
  expect(await applying).toMatchObject({ code: 0, out: 'fern-1 now runs 1.1.0.\n' });
  expect(await hortus('upgrades', 'apply', '--species', 'fern', '--yes')).toMatchObject({ code: 6 });

  const rule = '{before: 1.2.0, reason: Leaves would be lost., instead: Dry them first.}';
  await publish('1.2.0', '{name: SHADE, type: string}', `upgrade: {refuse: [${rule}]}\n`);
  expect((await hortus('upgrades', 'scan')).out).toMatch(/0 waiting for a decision, 1 refused; hortus upgrades list/);
  expect((await hortus('upgrades', 'list')).out).toContain('refused: Leaves would be lost. Dry them first.');
  expect(await hortus('upgrades', 'apply', 'fern-1', '--yes')).toMatchObject({
    code: 6,
    err: expect.stringMatching(/fern-1 cannot be upgraded to 1\.2\.0: Leaves would be lost\.\n.*Dry them first\./),
  });
});

test('upgrades rehearse reports what broke, and a clone is listed until it is removed', {
  timeout: 180_000,
}, async () => {
  const publish = async (version: string) => {
    const source = `slug: moss\nname: Moss\nversion: ${version}\narchetype: application\ntaxonomy: {kingdom: applications, family: website}\nimage: {repository: docker.io/library/nginx, tag: 1.29.2}\n`;
    const { id } = (await client.call('drafts.create', { body: { source } })).data;
    await client.call('drafts.validate', { params: { id } });
    await client.call('drafts.promote', { params: { id } });
  };
  await publish('1.0.0');
  await createAndDeploy('moss-1', 'moss');
  await createAndDeploy('moss-2', 'moss');
  await publish('1.1.0');
  await hortus('upgrades', 'scan');
  const rehearsing = hortus('upgrades', 'rehearse', 'moss-1');
  const deploymentOf = async (field: 'restore_deployment_id' | 'change_deployment_id') => {
    const find = async () => (await client.call('rehearsals.list', {})).data[0]?.[field];
    return { id: await until(find, { describe: field }) };
  };
  const params = await deploymentOf('restore_deployment_id');
  await client.call('deployments.status', { params, body: { status: 'success' } });
  const body = { status: 'failed', error: 'migrate exited with 3', last_lines: ['row 7 is broken'] } as const;
  await client.call('deployments.status', { params: await deploymentOf('change_deployment_id'), body });
  const { code, out } = await rehearsing;
  expect(code).toBe(1);
  expect(out).toContain('The rehearsal of moss-1 from 1.0.0 to 1.1.0 failed: the change failed.\n');
  expect(out).toMatch(/Error +migrate exited with 3\n/);
  expect(out).toContain('| row 7 is broken\n');

  const copy = await json('clone', 'moss-2', '--for', '2h', '--detach');
  expect(Date.parse(copy.keep_until) - Date.parse(copy.created_at)).toBe(2 * 3_600_000);
  expect((await hortus('rehearsals', 'list', '--instance', 'moss-2')).out).toMatch(
    /moss-2 +clone .* restoring +exists/,
  );
  expect((await hortus('clone', 'moss-2', '--rm')).out).toBe('The copy of moss-2 is being removed.\n');
  expect((await hortus('rehearsals', 'show', copy.id)).out).toContain('failed: it was cancelled.');
  expect(await hortus('clone', 'moss-2', '--for', 'ever')).toMatchObject({ code: 2 });
  await createAndDeploy('cached', 'redis');
  expect(await hortus('clone', 'cached')).toMatchObject({ code: 6, err: expect.stringContaining('--fresh') });
});

test('clusters: register, add and revoke members, show nodes', async () => {
  const registered = await hortus('servers', 'register', 'swarm-1', '--cluster');
  expect(registered.out).toContain('Key of its daemon, shown this once:\nhs_');
  expect(registered.err).toContain('hortus servers members add swarm-1 <name>');
  expect((await hortus('servers', 'members', 'swarm-1')).out).toMatch(/manager-1 +pending .* never/);
  const added = await hortus('servers', 'members', 'add', 'swarm-1', 'manager-2');
  expect(added.out).toMatch(/^HORTUSD_KEY=hs_\S+ hortusd install --url \S+ --server-id srv_\S+ .*--cluster/m);
  expect(await hortus('servers', 'members', 'add', 'swarm-1', 'manager-2')).toMatchObject({ code: 6 });
  expect(await hortus('servers', 'members', 'revoke', 'swarm-1', 'manager-2')).toMatchObject({ code: 2 });
  expect((await hortus('servers', 'members', 'revoke', 'swarm-1', 'manager-2', '--yes')).out).toBe(
    'manager-2 is no longer a member of swarm-1.\n',
  );
  expect(await hortus('servers', 'members', 'revoke', 'swarm-1', 'manager-2', '--yes')).toMatchObject({ code: 4 });
  expect((await hortus('servers', 'members', 'web-1')).out).toBe('web-1 has no members: it is an ordinary server.\n');

  expect((await hortus('servers', 'nodes', 'web-1')).out).toBe('web-1 has no nodes: it is an ordinary server.\n');
  expect((await hortus('servers', 'nodes', 'swarm-1')).out).toContain('has not reported its nodes yet');
  const { id } = await json('servers', 'show', 'swarm-1');
  const tasks = [{ instance_uid: 'blog', component: 'app', running: 2 }];
  const about = { role: 'worker', availability: 'active', state: 'ready' } as const;
  const nodes = [{ id: 'aa1', hostname: 'node-1', labels: { zone: 'a' }, tasks, ...about }];
  await client.call('clusters.reportNodes', { params: { id }, body: { nodes } });
  expect((await hortus('servers', 'nodes', 'swarm-1')).out).toMatch(
    /node-1 +ready +yes +worker +blog\/app ×2 +zone=a +aa1/,
  );
  expect(await hortus('servers', 'nodes', 'drain', 'swarm-1', 'node-9', '--yes')).toMatchObject({ code: 4 });
  expect(await hortus('servers', 'nodes', 'drain', 'swarm-1', 'node-1')).toMatchObject({ code: 2 });
  const draining = hortus('servers', 'nodes', 'drain', 'swarm-1', 'node-1', '--yes');
  // No daemon is connected here, so the order is cancelled.
  const ordered = async () => (await client.call('actions.all', {})).data.find(({ slug }) => slug === 'hortus.node');
  const execution_id = (await until(ordered, { describe: 'the order to drain' })).id;
  await client.call('actions.cancel', { params: { execution_id } });
  expect(await draining).toMatchObject({ code: 1 });
});

/** Lists that need no argument. */
const lists = table.filter(({ name, args }) => / list$/.test(name) && args.every((arg) => arg.endsWith('?')));

test('every list prints YAML, names and fields, and refuses an unknown field with those that exist', async () => {
  expect(lists.length).toBeGreaterThan(10);
  for (const { name } of lists) {
    const argv = name.split(' ');
    const rows = await json(...argv);
    expect(Array.isArray(rows), name).toBe(true);
    // Values such as the time that an instance runs differ from call to call; output/format.test.ts compares them.
    const shapeOf = (all: object[]) => all.map((row) => Object.keys(row));
    expect(shapeOf(parse((await hortus(...argv, '-o', 'yaml')).out)), name).toEqual(shapeOf(rows));
    const names = (await hortus(...argv, '-o', 'name')).out.split('\n').slice(0, -1);
    expect(names, name).toHaveLength(rows.length);
    expect(names, name).not.toContain('');
    if (rows.length === 0) continue;
    const fields = Object.keys(rows[0]);
    const chosen = await hortus(...argv, '-o', fields.slice(0, 2).join(','));
    expect(chosen.out.split('\n').slice(0, -1), name).toHaveLength(rows.length);
    const refused = await hortus(...argv, '-o', 'colour');
    expect(refused, name).toMatchObject({ code: 2, out: '' });
    for (const field of fields) expect(refused.err, name).toContain(field);
  }
});
