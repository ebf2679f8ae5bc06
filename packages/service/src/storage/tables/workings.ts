import type { Generated } from 'kysely';
import type { Flag, Json, Time } from './columns.ts';

/** Internal tables of the service. */
export interface WorkingTables {
  settings: { name: string; value: string };
  /** One row: the oldest migration that a program must know to work with the schema. */
  schema_needs: { migration: string };
  rate_windows: { subject: string; window_start: Time; count: number };
  idempotency: {
    account_id: string;
    /** Id of the API key, session or server of the request. */
    credential: string;
    method: string;
    path: string;
    key: string;
    body_hmac: string;
    status: number;
    response: string;
    /** The secrets of the response, sealed; null if it has none, or they were deleted. */
    secrets: string | null;
    created_at: Time;
  };
  /** Answers to a DELETE, encrypted, for repeated requests. */
  tombstones: { account_id: string; path: string; response: string; created_at: Time };
  data_keys: { account_id: string; wrapped: string; master: string; created_at: Time; updated_at: Time };
  events: {
    /** Assigned at insert: within one resource it follows the order of the changes, because they lock its row. */
    position: Generated<number>;
    /** Without gaps or late entries: the cursor of readers. Assigned by the dispatcher, or on SQLite by the insert. */
    seq: Generated<number | null>;
    id: string;
    account_id: string;
    type: string;
    resource_type: string;
    resource_id: string;
    actor: string | null;
    data: Json;
    created_at: Time;
  };
  jobs: {
    id: string;
    kind: string;
    /** At most one unfinished job of a kind has a given key. */
    key: string | null;
    payload: Json;
    /** When it may be claimed: its due time or, while it is leased, the end of the lease. */
    run_at: Time;
    /** Number of claims so far, including the running one. */
    attempts: number;
    lease_owner: string | null;
    /** Set if it was enqueued again while running: it then runs once more. */
    again_at: Time | null;
    last_error: string | null;
    dead: Flag;
    created_at: Time;
  };
  /** The processes that share this database. A process that has not been seen for a while has no connections. */
  replicas: { id: string; seen_at: Time };
}
