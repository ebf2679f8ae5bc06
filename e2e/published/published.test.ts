import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { toDaemon } from '@hortus/contract/channel/channel';
import { agentFileName, agentMark } from '@hortus/contract/releases/agent-file';
import { openDockerEngine } from '@hortus/daemon/engine/docker/docker-engine';
import { createDatabase } from '@hortus/testkit/database';
import { sharedDocker } from '@hortus/testkit/docker';
import { startProcess } from '@hortus/testkit/process';
import { temporaryFolder } from '@hortus/testkit/temporary-folder';
import { until } from '@hortus/testkit/until';
import { expect, test } from 'vitest';
import { makePageImage, PAGE_IMAGE, writeCatalog } from '../docker/test-species.ts';
import { startService } from '../service-process.ts';

/** Two services, one with a volume; the actions of `website` and a class for matching. */
const SHOP = `
slug: shop
name: Orchard
description: A page beside a store, for daemons and clients that know only the published interface.
version: 1.0.0
app_version: "1"
archetype: multi_component_saas
taxonomy: {kingdom: applications, family: website}
inputs:
  optional: [{name: GREETING, type: text, default: hello}]
secrets:
  TOKEN: {generate: password, length: 32}
routes: [{name: web, component: web, port: 8080, host: shop.example.org, path: /, tls: "off", primary: true}]
components:
  web:
    image: {repository: ${PAGE_IMAGE}, tag: "1"}
    env: {TOKEN: "\${secrets.TOKEN}", STORE: "\${components.store.host}"}
    command: [httpd, -f, -p, "8080", -h, /www]
    stop_signal: SIGKILL
    files: [{mount_path: /www/index.html, mode: "0644", content: "\${inputs.GREETING}"}]
    healthcheck: {http: {port: 8080, path: /}}
    depends_on: {store: started}
    storage: [{name: data, mount_path: /data, critical: true}]
  store:
    image: {repository: ${PAGE_IMAGE}, tag: "1"}
    command: [httpd, -f, -p, "8081", -h, /tmp]
    stop_signal: SIGKILL
    healthcheck: {disabled: true}
provides: [{class: http.page}]
actions:
  - {name: Write a line, slug: note, type: exec, component: web, timeout: 30s, params: [{name: line, type: text, required: true}],
     command: [sh, -c, 'echo "$1" >> /data/lines; echo "wrote $1"', note, "\${params.line}"]}
  - {name: Read the lines, slug: lines, type: exec, component: web, command: [cat, /data/lines], timeout: 30s}
  - {name: Greet, slug: greet, type: exec, component: store, command: [sh, -c, 'echo "$GREETING"'], timeout: 30s,
     env: {GREETING: "Hello \${params.whom}", TOKEN: "\${secrets.TOKEN}"}, params: [{name: whom, type: text, required: true}]}
  - {name: Ping, slug: ping, type: http, component: web, http: {port: 8080, path: /}}
  - {name: Rebuild, slug: rebuild, type: job, component: web, command: [echo, rebuilt]}
  - {name: Fail, slug: fail, type: exec, component: web, command: [sh, -c, "echo no; exit 3"], timeout: 30s}
backup: {strategy: volume, volumes: [{name: data, critical: true}], schedule_hint: daily}
`;

type Reported = { what: string } & Record<string, unknown>;
const program = (name: string) => [process.execPath, join(import.meta.dirname, name)] as const;

/** Fields that only daemons with a key pair, with the capabilities `trace` or `nonce`, or of a large fleet receive. */
const notPublished = ['sealed', 'spread_ms', 'traceparent', 'connection_nonce', 'order_number'];

const fieldsOf = (type: string) =>
  Object.keys(toDaemon[type as keyof typeof toDaemon]?.properties ?? expect.fail(`${type} was sent`))
    .filter((name) => !notPublished.includes(name))
    .sort();

test.concurrent.each(['sqlite', 'postgres'])(
  'a daemon and a client written from the published interface complete every flow on %s',
  {
    timeout: 600_000,
  },
  async (database) => {
    await using folder = temporaryFolder('published');
    await using postgres = database === 'postgres' ? await createDatabase() : undefined;
    const socketPath = sharedDocker();
    await makePageImage(socketPath);
    const agents = join(folder.path);
    writeFileSync(join(agents, agentFileName({ os: 'linux', arch: 'amd64' })), `\u007fELF${agentMark('1.2.3')}`);
    await using service = await startService({
      directory: join(folder.path, 'data'),
      env: {
        HORTUS_CATALOG_DIR: writeCatalog(join(folder.path, 'catalog'), { species: { shop: SHOP } }),
        HORTUS_AGENTS_DIR: agents,
        HORTUS_PING_SECONDS: '5',
        HORTUS_MIGRATION_GRACE_MINUTES: '0',
        ...(postgres && {
          HORTUS_DATABASE_URL: postgres.url,
          HORTUS_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
        }),
      },
    }).then((started) => ({ ...started, [Symbol.asyncDispose]: async () => void (await started.process.stop()) }));
    const { data: server } = await service.client.call('servers.register', {
      body: { name: 'server-one', environment: 'production' },
    });
    const engine = openDockerEngine({ socketPath });
    const labels = { 'published.server': server.id } as never;
    await using _ = {
      async [Symbol.asyncDispose]() {
        for (const { id } of await engine.containers({ labels })) await engine.remove(id, { force: true });
        for (const { name } of await engine.volumes({ labels })) await engine.removeVolume(name);
        for (const { name } of await engine.networks({ labels })) await engine.removeNetwork(name);
        engine.close();
      },
    };
    const KEY_FILE = join(folder.path, 'key');
    writeFileSync(KEY_FILE, server.api_key);
    const env = { BASE_URL: service.base, SERVER_ID: server.id, KEY_FILE, DOCKER_HOST: `unix://${socketPath}` };
    await using daemon = startProcess(program('daemon.mjs'), { env });
    const reported = () =>
      daemon.stdout.split('\n').flatMap((line): Reported[] => (line.startsWith('{') ? [JSON.parse(line)] : []));
    const connected = async () =>
      (await service.client.call('servers.read', { params: { id: server.id } })).data.connected;
    await until(connected, { describe: () => `the daemon to be connected; it wrote:\n${daemon.output}` });

    const prefix = `published-${server.id.slice(-8)}`;
    const client = startProcess(program('client.mjs'), {
      env: { ...env, API_KEY: service.key, IMAGE: `${PAGE_IMAGE}:1`, UID_PREFIX: prefix },
    });
    const { code } = await client.exited;
    expect(code, `${client.output}\nthe daemon:\n${daemon.output.slice(-6_000)}`).toBe(0);
    expect(client.stdout).toContain('all 97 published endpoints were called');

    // The daemon received only published messages with published fields.
    const received = reported().filter(({ what }) => what === 'heard');
    expect(new Set(received.map(({ type }) => type))).toEqual(new Set(['action_request', 'ping']));
    for (const { type, fields } of received) expect(fields).toEqual(fieldsOf(String(type)));
    // Built-in actions arrived as built-ins, never as exec, and each made one Docker call.
    const asked = reported().filter(({ what }) => what === 'asked');
    const builtIn = asked.filter(({ slug }) => String(slug).startsWith('hortus.'));
    expect(builtIn.every(({ type, command }) => type === 'builtin' && (command as string[])[0] === 'docker')).toBe(
      true,
    );
    const shop = `${prefix}-shop`;
    expect(builtIn.map(({ command }) => (command as string[]).join(' '))).toEqual(
      expect.arrayContaining([
        expect.stringMatching(new RegExp(`^docker stop ${shop} \\S+$`)),
        expect.stringMatching(new RegExp(`^docker start \\S+ ${shop}$`)),
        expect.stringMatching(new RegExp(`^docker restart \\S+ ${shop}$`)),
        `docker stop ${prefix}-member`,
        `docker start ${prefix}-member`,
        `docker rm --force ${prefix}-member`,
        `docker rm --force ${prefix}-plain`,
        expect.stringMatching(new RegExp(`^docker volume rm --force ${shop}-\\w+_data$`)),
      ]),
    );
    // The key was replaced and the daemon reconnected.
    expect(reported()).toContainEqual({ what: 'closed', code: 4401 });
    expect(await connected()).toBe(true);
    expect(reported().filter(({ what }) => what === 'action failed')).toEqual([]);

    // A daemon that does not report its instances is lost and comes back.
    const { data: instances } = await service.client.call('instances.list', {
      query: { server_id: server.id, per_page: 100 },
    });
    const page = instances.find(({ name }) => name === `${prefix}-page`);
    const status = async () =>
      (await service.client.call('instances.read', { params: { id: page?.id ?? '' } })).data.status;
    await daemon.kill('SIGKILL');
    await until(async () => (await status()) === 'lost', { describe: 'the instance to be lost' });
    await using _again = startProcess(program('daemon.mjs'), { env });
    await until(async () => (await status()) === 'running', { describe: 'the instance to be back' });

    // A deploy test needs no smoke checks.
    await service.client.call('servers.update', { params: { id: server.id }, body: { deploy_tests: true } });
    const source = SHOP.replace('slug: shop', 'slug: sketch').replace('shop.example.org', 'sketch.example.org');
    const { id } = (await service.client.call('drafts.create', { body: { source } })).data;
    await service.client.call('drafts.validate', { params: { id } });
    await service.client.call('drafts.test', { params: { id }, body: {} });
    const tested = async () => (await service.client.call('drafts.tests', { params: { id } })).data[0];
    await until(async () => (await tested())?.cleared, {
      describe: () => `the deploy test to be over; the daemon wrote:\n${_again.output.slice(-4_000)}`,
    });
    expect(await tested()).toMatchObject({ status: 'passed', reason: null });

    // Docker agrees: archived and released instances are gone, the volume of an archived one stays.
    const containers = (await engine.containers({ labels })).map(({ name }) => name).sort();
    expect(containers).toEqual([`${prefix}-page`]);
    const volumes = (await engine.volumes({ labels })).map(({ name }) => name).sort();
    expect(volumes).toContain(`${prefix}-member_data`);
    // The definition that was deleted first keeps its volume, the released one does not.
    expect(volumes.filter((name) => name.startsWith(shop))).toEqual([`${shop}_data`]);
  },
);
