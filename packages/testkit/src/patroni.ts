import { chmodSync, chownSync, mkdirSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { descendants } from './descendants.ts';
import { type PatroniNode, patroniSettings } from './patroni-settings.ts';
import { freePort } from './port.ts';
import { findPostgresBinaries } from './postgres-binaries.ts';
import { type RunningProcess, startProcess } from './process.ts';
import { temporaryFolder } from './temporary-folder.ts';
import { type OsUser, unprivilegedUser } from './unprivileged-user.ts';
import { until } from './until.ts';

/** State of one server, as Patroni reports it. */
interface Member {
  readonly name: string;
  readonly role: string;
  readonly state: string;
}

export type PatroniCluster = AsyncDisposable & {
  /** URL of the database `postgres` with every server. */
  readonly url: string;
  readonly names: readonly string[];
  /** URL of the database `postgres` on one server. */
  urlOf(name: string): string;
  members(): Promise<readonly Member[]>;
  /** Name of the primary; waits until there is one. */
  primary(): Promise<string>;
  /** Waits until one server is the primary, one its synchronous standby, and the others follow. */
  whole(): Promise<void>;
  /** SIGKILL of Patroni and PostgreSQL of one server at once, like the loss of its machine. */
  kill(name: string): Promise<void>;
  /** Starts a killed server again, on its data. */
  start(name: string): void;
  /** Stops Patroni of one server until it is killed, as if it hung, while its PostgreSQL runs on. */
  suspend(name: string): void;
  /** Ends every server and removes the data. */
  stop(): Promise<void>;
};

const NODES = ['one', 'two', 'three'];

/**
 * Starts three PostgreSQL servers under Patroni, with synchronous replication, and an etcd. Needs root: each server runs
 * in a process namespace, so that its processes end together, and with this process.
 */
export async function startPatroni(): Promise<PatroniCluster> {
  const binaries = findPostgresBinaries();
  if (binaries === undefined) throw new Error('PostgreSQL is not installed; run: apt-get install -y postgresql');
  const user = unprivilegedUser();
  if (user === undefined) throw new Error('A Patroni cluster needs root, for its process namespaces.');
  const folder = temporaryFolder('patroni', { inMemory: true });
  const etcdPort = await freePort();
  const running = new Map<string, RunningProcess>();
  const nodes = new Map<string, PatroniNode>();

  const start = (name: string) => {
    running.set(name, startNode(nodes.get(name) as PatroniNode, user));
  };
  const stop = async () => {
    await Promise.all([...running.values()].map((process) => process.kill()));
    await folder.remove();
  };
  const members = async (): Promise<readonly Member[]> => {
    for (const { name, restPort } of nodes.values()) {
      if (!running.get(name)?.running) continue;
      const response = await read<{ members?: Member[] }>(`http://127.0.0.1:${restPort}/cluster`);
      // Patroni reports a killed server as running until its lease ends.
      if (response?.members) return response.members.filter((member) => running.get(member.name)?.running);
    }
    return [];
  };
  const awaitMembers = async (what: string, isSo: (found: readonly Member[]) => boolean) => {
    let found: readonly Member[] = [];
    await until(
      async () => {
        found = await members();
        return isSo(found);
      },
      { every: 50, describe: () => `${what}; Patroni reports ${JSON.stringify(found)}\n${logs(running)}` },
    );
    return found;
  };
  const urlOf = (name: string) => `postgres://hortus@127.0.0.1:${nodes.get(name)?.port}/postgres`;

  try {
    running.set('etcd', await startEtcd(join(folder.path, 'etcd'), etcdPort));
    for (const name of NODES) {
      const node = { name, folder: join(folder.path, name), port: await freePort(), restPort: await freePort() };
      mkdirSync(node.folder, { mode: 0o700 });
      writeFileSync(join(node.folder, 'patroni.yml'), patroniSettings(node, { etcdPort, binaries }));
      chownSync(node.folder, user.uid, user.gid);
      nodes.set(name, node);
    }
    chmodSync(folder.path, 0o711);
    for (const name of NODES) start(name);
    const cluster: PatroniCluster = {
      url: `postgres://hortus@${[...nodes.values()].map(({ port }) => `127.0.0.1:${port}`).join(',')}/postgres?target_session_attrs=read-write`,
      names: NODES,
      urlOf,
      members,
      async primary() {
        const found = await awaitMembers('a primary', (all) => all.some(isPrimary));
        return (found.find(isPrimary) as Member).name;
      },
      async whole() {
        await awaitMembers(
          'a whole cluster',
          (all) =>
            all.filter(isPrimary).length === 1 &&
            all.filter(({ role }) => role === 'sync_standby').length === 1 &&
            all.filter(({ state }) => state === 'running' || state === 'streaming').length === NODES.length,
        );
      },
      async kill(name) {
        await running.get(name)?.kill();
        // The kernel ends the other processes of the namespace a moment later.
        await until(() => isRefused(nodes.get(name)?.port ?? 0), { every: 5, describe: `the end of ${name}` });
      },
      start,
      suspend(name) {
        const suspended = descendants(running.get(name)?.pid ?? 0, 'bin/patroni');
        if (suspended.length === 0) throw new Error(`Patroni of ${name} does not run.`);
        for (const pid of suspended) process.kill(pid, 'SIGSTOP');
      },
      stop,
      [Symbol.asyncDispose]: stop,
    };
    await cluster.whole();
    return cluster;
  } catch (error) {
    await stop();
    throw error;
  }
}

const isRefused = (port: number): Promise<boolean> =>
  new Promise((done) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      done(false);
    });
    socket.on('error', () => done(true));
  });

const isPrimary = ({ role, state }: Member): boolean => role === 'leader' && state === 'running';

function startNode({ folder }: PatroniNode, { uid, gid }: OsUser): RunningProcess {
  return startProcess(
    [
      // The kernel ends every process of the namespace with its first one, which has to ask again to end with its parent:
      // a change of the user revokes that.
      ...(['unshare', '--pid', '--fork', '--mount-proc'] as const),
      ...['setpriv', '--reuid', String(uid), '--regid', String(gid), '--clear-groups', '--pdeathsig', 'KILL'],
      ...['patroni', join(folder, 'patroni.yml')],
    ],
    { cwd: folder, env: { HOME: folder } },
  );
}

async function startEtcd(folder: string, port: number): Promise<RunningProcess> {
  mkdirSync(folder, { mode: 0o700 });
  const [client, peer] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${await freePort()}`];
  const etcd = startProcess(
    [
      ...(['etcd', '--data-dir', join(folder, 'data')] as const),
      ...['--listen-client-urls', client, '--advertise-client-urls', client],
      ...['--listen-peer-urls', peer, '--initial-advertise-peer-urls', peer, '--initial-cluster', `default=${peer}`],
    ],
    // etcd refuses other processors than x64 without this.
    { cwd: folder, env: { ETCD_UNSUPPORTED_ARCH: process.arch === 'x64' ? undefined : process.arch } },
  );
  await etcd.waitForHttp(`${client}/health`);
  return etcd;
}

async function read<T>(url: string): Promise<T | undefined> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(2_000) });
    return (await response.json()) as T;
  } catch {
    return undefined;
  }
}

const logs = (running: ReadonlyMap<string, RunningProcess>): string =>
  [...running].map(([name, { output }]) => `${name}:\n${output.split('\n').slice(-15).join('\n')}`).join('\n');
