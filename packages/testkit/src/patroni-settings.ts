/** Where one server of a Patroni cluster is. */
export interface PatroniNode {
  readonly name: string;
  readonly folder: string;
  readonly port: number;
  readonly restPort: number;
}

export interface PatroniSettings {
  readonly etcdPort: number;
  /** Folder of `initdb` and `postgres`. */
  readonly binaries: string;
}

/** Shortest times that Patroni accepts together: a lost primary is replaced within about five seconds. */
const times = { ttl: 5, loop_wait: 1, retry_timeout: 2 };

/** Returns the settings of one server. JSON, which is valid YAML. */
export function patroniSettings(node: PatroniNode, { etcdPort, binaries }: PatroniSettings): string {
  const trusted = ['local all all trust', 'host all all 127.0.0.1/32 trust', 'host replication all 127.0.0.1/32 trust'];
  return JSON.stringify({
    scope: 'hortus',
    name: node.name,
    restapi: { listen: `127.0.0.1:${node.restPort}`, connect_address: `127.0.0.1:${node.restPort}` },
    etcd3: { host: `127.0.0.1:${etcdPort}` },
    bootstrap: {
      dcs: {
        ...times,
        // A commit is acknowledged when a standby has it, and only such a standby is promoted.
        synchronous_mode: true,
        maximum_lag_on_failover: 1_048_576,
        postgresql: { use_slots: true, parameters: shared },
      },
      initdb: [{ encoding: 'UTF8' }, { locale: 'C.UTF-8' }, 'no-sync'],
      pg_hba: trusted,
    },
    postgresql: {
      listen: `127.0.0.1:${node.port}`,
      connect_address: `127.0.0.1:${node.port}`,
      data_dir: `${node.folder}/data`,
      bin_dir: binaries,
      pgpass: `${node.folder}/pgpass`,
      authentication: {
        superuser: { username: 'hortus' },
        replication: { username: 'replicator' },
      },
      // A former primary is cloned again, which takes a second here.
      remove_data_directory_on_diverged_timelines: true,
      basebackup: [{ checkpoint: 'fast' }],
      // The test process is one of few users of a small machine; see postgres.ts for fsync.
      parameters: { unix_socket_directories: node.folder, fsync: 'off', full_page_writes: 'off' },
      pg_hba: trusted,
    },
  });
}

const shared = {
  max_connections: 200,
  max_wal_senders: 10,
  shared_buffers: '16MB',
  wal_level: 'replica',
  hot_standby: 'on',
};
