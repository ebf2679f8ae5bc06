import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Cluster, TaskFacts } from '@hortus/daemon/engine/cluster';
import { openDockerCluster } from '@hortus/daemon/engine/docker/docker-cluster';
import { type RunningProcess, startProcess } from '@hortus/testkit/process';
import { daemonMain } from '@hortus/testkit/programs';
import { type Swarm, startSwarm } from '@hortus/testkit/swarm';
import { temporaryFolder } from '@hortus/testkit/temporary-folder';
import { until } from '@hortus/testkit/until';
import { type ServiceProcess, startService } from '../service-process.ts';

/** A daemon of the cluster, on one of its managers. */
interface Member {
  readonly id: string;
  readonly process: RunningProcess;
  /** Starts its daemon, again with the same state. */
  start(): void;
}

export interface ClusterInstallation extends AsyncDisposable {
  readonly service: ServiceProcess;
  /** Id of the cluster. */
  readonly serverId: string;
  readonly swarm: Swarm;
  /** Direct access to the Swarm, bypassing Hortus. */
  readonly cluster: Cluster;
  readonly members: readonly [Member, Member];
  /** Starts both members; the first leads. */
  start(): Promise<void>;
  /** Waits until a member leads. */
  leads(member: Member): Promise<void>;
  /** Waits until the daemon of a member is connected without leading. */
  waits(member: Member): Promise<void>;
  /** Tasks of an instance that run or should run. */
  running(uid: string): Promise<TaskFacts[]>;
  /** Gives a node, by its position, the label that the rows need. */
  allowRows(position: number): Promise<void>;
}

/** A page without routes and volumes, with enough tasks that each node has one: a daemon runs actions only on its own. */
const pages = (image: string) => `
slug: pages
name: Pages
description: A page on every node.
version: 1.0.0
app_version: "1"
archetype: application
taxonomy: {kingdom: applications, family: website}
image: {repository: "${image}", tag: "1"}
inputs:
  optional:
    - {name: GREETING, type: text, default: hello}
replicas: 6
env: {GREETING: "\${inputs.GREETING}"}
command: [sh, -c, 'echo "serving $GREETING"; echo "$GREETING" > /www/index.html; exec httpd -f -p 8080 -h /www']
stop_signal: SIGKILL
healthcheck: {http: {port: 8080, path: /}, interval: 1s, timeout: 1s, retries: 3, start_period: 5s}
deadline: 120s
actions:
  - {name: Greet, slug: greet, type: exec, command: [cat, /www/index.html], timeout: 30s}
  - {name: Write a line and hang, slug: hang, type: exec, command: [sh, -c, "echo ran >> /tmp/runs; sleep 600"], timeout: 600s}
`;

/** A page with a volume, which binds it to a node. */
const notes = (image: string) => `
slug: notes
name: Notes
description: A page with a volume.
version: 1.0.0
app_version: "1"
archetype: application
taxonomy: {kingdom: applications, family: website}
image: {repository: "${image}", tag: "1"}
command: [httpd, -f, -p, "8080", -h, /data]
stop_signal: SIGKILL
storage: [{name: data, mount_path: /data, critical: true}]
actions:
  - {name: Write a line, slug: note, type: exec, command: [sh, -c, 'echo "$1" >> /data/lines', note, "\${params.line}"],
     timeout: 30s, params: [{name: line, type: text, required: true}]}
  - {name: Read the lines, slug: lines, type: exec, command: [cat, /data/lines], timeout: 30s}
backup: {strategy: volume, volumes: [{name: data, critical: true}], schedule_hint: daily}
`;

/** Rows on a node with the label, in a volume that comes back on another one from a backup. */
const ledger = (image: string) => `
slug: ledger
name: Ledger
description: Rows in a volume on a labelled node.
version: 1.0.0
app_version: "1"
archetype: application
taxonomy: {kingdom: applications, family: website}
image: {repository: "${image}", tag: "1"}
command: [httpd, -f, -p, "8080", -h, /rows]
stop_signal: SIGKILL
placement: {constraints: {rows: "true"}}
on_node_loss: restore
storage: [{name: rows, mount_path: /rows, critical: true}]
actions:
  - {name: Add a row, slug: add, type: exec, command: [sh, -c, 'echo "$1" >> /rows/all', add, "\${params.row}"],
     timeout: 30s, params: [{name: row, type: text, required: true}]}
  - {name: Read the rows, slug: rows, type: exec, command: [cat, /rows/all], timeout: 30s}
  - {name: Read the rows by HTTP, slug: page, type: http, http: {method: GET, port: 8080, path: /all}, timeout: 30s}
  - {name: Read a missing page, slug: lost-page, type: http, http: {method: GET, port: 8080, path: /none}, timeout: 30s}
  - {name: Read the rows in a job, slug: count, type: job, command: [wc, -l, /rows/all], timeout: 60s}
  - {name: Dump, slug: dump, type: exec, command: [cat, /rows/all], timeout: 30s}
backup: {strategy: both, dump_action: dump, restore_command: [sh, -c, 'cat > /rows/dumped'],
  volumes: [{name: rows, critical: true}], schedule_hint: daily}
`;

export interface ClusterOptions {
  /** Further templates by slug; their images may be published in the registry of the Swarm. */
  species?(swarm: Swarm): Promise<Record<string, string>>;
}

/** Opens a real service, a Swarm of three managers, and a registered cluster; two of the managers run a daemon. */
export async function openClusterInstallation({ species }: ClusterOptions = {}): Promise<ClusterInstallation> {
  const folder = temporaryFolder('cluster');
  const swarm = await startSwarm({ nodes: 3, managers: 3 });
  const image = (await swarm.publish('busybox:1')).replace(/:1$/, '');
  const more = await species?.(swarm);
  const all = { pages: pages(image), notes: notes(image), ledger: ledger(image), ...more };
  for (const [slug, text] of Object.entries(all)) {
    mkdirSync(join(folder.path, 'catalog/website', slug), { recursive: true });
    writeFileSync(join(folder.path, 'catalog/website', slug, 'template.yaml'), text);
  }
  const service = await startService({
    directory: join(folder.path, 'data'),
    env: { HORTUS_CATALOG_DIR: join(folder.path, 'catalog') },
  });
  const tunnelImage = await swarm.publish('haproxy:1', { programs: ['haproxy'] });
  const { client } = service;
  const registration = { name: 'swarm-1', environment: 'production', kind: 'cluster' } as const;
  const { data: registered } = await client.call('servers.register', { body: registration });
  const serverId = registered.id;
  const addition = { params: { id: serverId }, body: { name: 'manager-2' } };
  const { data: added } = await client.call('clusters.addMember', addition);
  const { socketPath } = swarm.nodes[0];
  const cluster = openDockerCluster({ socketPath });
  const open = (id: string, key: string, node: number): Member => {
    const state = join(folder.path, `member-${node}`);
    const file = `${state}.json`;
    const { manifest_public_key } = registered;
    const about = { url: service.base, server_id: serverId, api_key: key, manifest_public_key };
    writeFileSync(file, JSON.stringify(about), { mode: 0o600 });
    mkdirSync(state);
    const socket = swarm.nodes[node]?.socketPath ?? '';
    const options = ['--cluster', '--key-file', file, '--state-dir', state, '--docker-socket', socket].concat(
      '--tunnel-image',
      tunnelImage,
    );
    const run = () =>
      startProcess([process.execPath, daemonMain, 'run', ...options], { env: { HORTUSD_LOG_LEVEL: 'debug' } });
    let running: RunningProcess | undefined;
    return {
      id,
      get process() {
        if (running === undefined) throw new Error('The daemon was not started');
        return running;
      },
      start() {
        running = run();
      },
    };
  };
  const members = [
    open(registered.member_id ?? '', registered.api_key ?? '', 0),
    open(added.id, added.api_key ?? '', 1),
  ] as const;
  const roleOf = async ({ id }: Member) => {
    const { data } = await client.call('clusters.members', { params: { id: serverId }, query: {} });
    return data.find((item) => item.id === id)?.role;
  };
  const has = (member: Member, role: string) =>
    until(async () => (await roleOf(member)) === role, {
      within: 60_000,
      describe: () => `the ${role}; its daemon wrote:\n${member.process.output.slice(-4_000)}`,
    });
  return {
    service,
    serverId,
    swarm,
    cluster,
    members,
    async start() {
      const [first, second] = members;
      first.start();
      await has(first, 'leader');
      second.start();
      await has(second, 'standby');
    },
    async leads(member) {
      await has(member, 'leader');
    },
    async waits(member) {
      await has(member, 'standby');
    },
    async running(uid) {
      const tasks = await cluster.tasks({ labels: { 'hortus.instance': uid } });
      return tasks.filter(({ state, desired }) => state === 'running' && desired === 'running');
    },
    async allowRows(position) {
      const name = swarm.nodes[position]?.name ?? '';
      const argv = [
        'docker',
        '-H',
        `unix://${socketPath}`,
        'node',
        'update',
        '--label-add',
        'rows=true',
        name,
      ] as const;
      const { code } = await startProcess(argv).exited;
      if (code !== 0) throw new Error(`Node ${name} could not be labelled`);
    },
    async [Symbol.asyncDispose]() {
      for (const member of members) await member.process.stop();
      await service.process.stop();
      cluster.close();
      await swarm.stop();
      await folder.remove();
    },
  };
}
