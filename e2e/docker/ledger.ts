import { until } from '@hortus/testkit/until';
import { expect } from 'vitest';
import { publishTemplate } from '../published-template.ts';
import { act, createAndDeploy, type Deployed, ended, type Installation } from './installation.ts';
import { PAGE_IMAGE } from './test-species.ts';

const backups = {
  volume: '{strategy: volume, volumes: [{name: data, critical: true}]}',
  dump: '{strategy: dump, dump_action: dump, restore_command: [sh, -c, "cat > /data/rows"]}',
};

interface Version {
  readonly version?: string;
  readonly backup?: keyof typeof backups;
  /** Adds a migration that fails on a row `bad`. */
  readonly migration?: boolean;
}

/** A page behind a route, over a volume with a file of rows. */
export const ledger = (
  slug: string,
  { version = '1.0.0', backup = 'dump', migration = false }: Version = {},
) => `slug: ${slug}
name: ${slug}
version: ${version}
archetype: application
taxonomy: {kingdom: applications, family: website}
image: {repository: ${PAGE_IMAGE}, tag: "1"}
inputs:
  required: [{name: WEB_HOSTNAME, type: domain}]
  optional: [{name: GREETING, type: text, default: hello}, {name: NAME_SERVER, type: string, default: 127.0.0.1}]
components:
  main:
    image: "\${template.image}"
    env: {VERSION: "${version}"}
    command: [httpd, -f, -p, "8080", -h, /www]
    stop_signal: SIGKILL
    dns: ["\${inputs.NAME_SERVER}"]
    files: [{mount_path: /www/index.html, mode: "0644", content: "\${inputs.GREETING}"}]
    storage: [{name: data, mount_path: /data, critical: true, shared: true}]
    healthcheck: {http: {port: 8080, path: /}, interval: 200ms, timeout: 1s, retries: 3, start_period: 2s}
${migration ? MIGRATION : ''}routes: [{name: web, component: main, port: 8080, host: "\${inputs.WEB_HOSTNAME}", path: /, tls: "off", primary: true}]
smoke: [{http: {route: web, path: /, expect: 200}}, {exec: {component: main, command: [cat, /data/rows]}}]
deadline: 60s
backup: ${backups[backup]}
actions:
  - {name: Write a row, slug: note, type: exec, command: [sh, -c, 'echo "$1" >> /data/rows', note, "\${params.row}"],
     timeout: 30s, params: [{name: row, type: text, required: true}]}
  - {name: Dump, slug: dump, type: exec, component: main, command: [cat, /data/rows], timeout: 30s}
`;

const MIGRATION = `    depends_on: {migrate: completed}
  migrate:
    kind: job
    run: before_start
    irreversible: true
    image: "\${template.image}"
    command: [sh, -c, 'touch /data/rows; if grep bad /data/rows; then echo "this row cannot be migrated"; exit 3; fi; echo migrated >> /data/rows']
    storage: [{name: data, mount_path: /data, critical: true, shared: true}]
`;

/** Deploys version 1.0.0 with a row. */
export async function deployFirst(
  at: Installation,
  slug: string,
  row: string,
  { backup = 'dump', ...inputs }: Deploying = {},
) {
  await publishTemplate(at.service.client, ledger(slug, { backup }));
  const deployed = await createAndDeploy(at, slug, {
    species: slug,
    inputs: { WEB_HOSTNAME: `${slug}.example.org`, ...inputs },
  });
  await note(at, deployed, row);
  return deployed;
}

interface Deploying {
  readonly backup?: keyof typeof backups;
  readonly NAME_SERVER?: string;
}

const note = async (at: Installation, { instanceId }: Deployed, row: string) =>
  expect(await ended(at, await act(at, instanceId, 'note', { row }))).toMatchObject({ status: 'completed' });

/** Publishes a newer version and returns the upgrade to it. */
export async function upgradeTo(
  at: Installation,
  source: string,
  { instanceId: instance_id }: Deployed,
): Promise<string> {
  await publishTemplate(at.service.client, source);
  const query = { instance_id, status: 'available' } as const;
  const find = async () => (await at.service.client.call('upgrades.list', { query })).data[0]?.id;
  return await until(find, { describe: 'the upgrade to be found' });
}
