import type { StateOf } from '@hortus/contract/machines/machine';
import type { serverMachine } from '@hortus/contract/machines/server';
import type { Flag, Json, Status, Time } from './columns.ts';

/** Where it runs, and where images come from. */
export interface ServerTables {
  servers: {
    id: string;
    account_id: string;
    name: string;
    environment: string;
    description: string | null;
    /** Templates are tried here before they are published. */
    deploy_tests: Flag;
    status: Status<StateOf<typeof serverMachine>>;
    key_hash: string;
    /** A rotated key that its daemon has not used yet: until then the old one stays valid. */
    next_key_hash: string | null;
    /** That key, encrypted, for as long as it has to be handed to the daemon over its connection. */
    next_key_sealed: string | null;
    /** When the old key ends at the latest, while there is a new one that was not used yet. */
    old_key_until: Time | null;
    /** Whether the key was handed to someone with `data:export`: only then existing secrets may be moved here by others. */
    key_trusted: Flag;
    /** X25519 public key of its daemon, pinned at first sight; secrets are sealed to it. */
    identity_key: string | null;
    identity_pinned_at: Time | null;
    /** Key of a daemon that was refused because another one is pinned; empty if it showed none. */
    identity_conflict: string | null;
    identity_conflict_at: Time | null;
    registered_by: string | null;
    /** Grows with every connection of a daemon: only the newest may be sent work. */
    connection_epoch: number;
    /** The replica that holds the daemon's connection. */
    connected_replica: string | null;
    /** When a second daemon with the same key was last seen to push the first one out. */
    duplicate_at: Time | null;
    capabilities: Json;
    daemon_version: string | null;
    /** The name of its journal; null for a daemon that keeps none. */
    daemon_journal: string | null;
    /** What the daemon said of its machine. */
    daemon_platform: Json;
    /** What the server is made of, as the daemon last found it. */
    fingerprint: Json | null;
    /** How much room its daemon last had for networks. */
    networks: Json | null;
    /** The last poll since there has been no connection: a daemon may do without one. */
    polled_at: Time | null;
    last_seen_at: Time | null;
    /** A removed server keeps its row, because archived definitions and events still name it. */
    deleted_at: Time | null;
    created_at: Time;
    updated_at: Time;
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
   * What servers and instances used, for charts. Each report is added to a point of one minute, which goes after two hours,
   * and to one of five: `step` tells which, in seconds. Sums and `samples` give averages; the largest is kept beside.
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
