import type { StateOf } from '@hortus/contract/machines/machine';
import type { serverMachine } from '@hortus/contract/machines/server';
import type { Flag, Json, Status, Time } from './columns.ts';

/** Servers, their metrics, and image registries. */
export interface ServerTables {
  servers: {
    id: string;
    account_id: string;
    name: string;
    environment: string;
    description: string | null;
    /** Whether templates are tested here before they are published. */
    deploy_tests: Flag;
    /** Null means none. */
    labels: Json | null;
    status: Status<StateOf<typeof serverMachine>>;
    /** Null for an ordinary server. The columns of a cluster's daemon are those of its leading member. */
    kind: 'cluster' | null;
    /** The member of a cluster that receives its orders, until the time in `leader_until`; see `leadership/store.ts`. */
    leader_member: string | null;
    leader_until: Time | null;
    /** First epoch of that member since another one led; its journal knows everything that was begun from there on. */
    leader_since: number | null;
    /** No key has the hash of a cluster: its members have keys of their own. */
    key_hash: string;
    /** A rotated key that its daemon has not used yet; until then the old one stays valid. */
    next_key_hash: string | null;
    /** That key, encrypted, until it was delivered to the daemon. */
    next_key_sealed: string | null;
    /** When the old key expires at the latest, while the new one is unused. */
    old_key_until: Time | null;
    /** Whether the key was given to someone with `data:export`: only then may others move existing secrets here. */
    key_trusted: Flag;
    /** X25519 public key of its daemon, pinned on first use; secrets are sealed to it. */
    identity_key: string | null;
    identity_pinned_at: Time | null;
    /** Key of a daemon that was refused because another one is pinned; empty if it sent none. */
    identity_conflict: string | null;
    identity_conflict_at: Time | null;
    registered_by: string | null;
    /** Grows with every connection of a daemon: only the newest may receive work. */
    connection_epoch: number;
    /** The replica with the daemon's connection. */
    connected_replica: string | null;
    /** When a second daemon with the same key last replaced the connection of the first. */
    duplicate_at: Time | null;
    capabilities: Json;
    daemon_version: string | null;
    /** Id of its journal; null for a daemon without one. */
    daemon_journal: string | null;
    /** Platform of the daemon, as reported. */
    daemon_platform: Json;
    /** Fingerprint of the server, as last reported. */
    fingerprint: Json | null;
    /** Free networks, as last reported. */
    networks: Json | null;
    /** Last poll without a connection: a daemon may work without one. */
    polled_at: Time | null;
    last_seen_at: Time | null;
    /** A removed server keeps its row, because archived definitions and events refer to it. */
    deleted_at: Time | null;
    created_at: Time;
    updated_at: Time;
  };
  /** Daemons of a cluster, one for each manager. */
  server_members: {
    id: string;
    account_id: string;
    server_id: string;
    name: string;
    key_hash: string;
    /** X25519 public key of its daemon, pinned on first use. */
    identity_key: string | null;
    identity_pinned_at: Time | null;
    identity_conflict: string | null;
    identity_conflict_at: Time | null;
    capabilities: Json;
    daemon_version: string | null;
    daemon_journal: string | null;
    daemon_platform: Json;
    connected_replica: string | null;
    /** Grows with every connection of the member: the newest replaces the others. */
    connection_number: number;
    last_seen_at: Time | null;
    registered_by: string | null;
    /** A revoked member keeps its row, because events refer to it. */
    revoked_at: Time | null;
    created_at: Time;
    updated_at: Time;
  };
  /** Nodes of clusters, as last reported. */
  server_nodes: {
    server_id: string;
    id: string;
    hostname: string;
    role: 'manager' | 'worker';
    availability: 'active' | 'pause' | 'drain';
    state: 'ready' | 'down' | 'disconnected' | 'unknown';
    labels: Json;
    engine_version: string | null;
    cpus: number | null;
    memory_bytes: number | null;
    /** What runs there, by instance and component. */
    tasks: Json;
    state_since: Time;
    reported_at: Time;
  };
  /** Last report of each daemon. */
  server_diagnostics: {
    server_id: string;
    /** Empty for an ordinary server. */
    member_id: string;
    /** Versions, policy and errors. */
    report: Json;
    reported_at: Time;
  };
  server_capacity: {
    server_id: string;
    memory_used: number;
    memory_free: number;
    cpu_cores: number;
    cpu_used_percent: number;
    disk_used: number;
    disk_free: number;
    reported_at: Time;
  };
  /**
   * Usage of servers and instances, for charts. Each report is added to a point of one minute, which is removed after
   * two hours, and to one of five minutes; `step` is the length in seconds. Sums and `samples` give averages; the
   * maximum is stored too.
   */
  capacity_points: {
    server_id: string;
    step: number;
    at: Time;
    samples: number;
    cpu_sum: number;
    cpu_max: number;
    memory_used_sum: number;
    memory_used_max: number;
    memory_free_sum: number;
    disk_used_sum: number;
    disk_free_sum: number;
  };
  usage_points: {
    instance_id: string;
    component: string;
    step: number;
    at: Time;
    samples: number;
    cpu_sum: number;
    cpu_max: number;
    memory_sum: number;
    memory_max: number;
    received_sum: number;
    sent_sum: number;
    read_sum: number;
    written_sum: number;
  };
  registries: {
    id: string;
    account_id: string;
    host: string;
    username: string;
    /** Encrypted. */
    password: string;
    created_by: string | null;
    created_at: Time;
    updated_at: Time;
  };
}
