import type { Generated } from 'kysely';
import type { Flag, Json, Time } from './columns.ts';

/** What the service keeps for its own work, and for whatever it works on. */
export interface WorkingTables {
  settings: { name: string; value: string };
  rate_windows: { subject: string; window_start: Time; count: number };
  idempotency: {
    account_id: string;
    /** Id of the API key, session or server that asked. */
    credential: string;
    method: string;
    path: string;
    key: string;
    body_hmac: string;
    status: number;
    response: string;
    /** The secrets of the response, sealed; null where it has none, or no longer. */
    secrets: string | null;
    created_at: Time;
  };
  /** Answers to a DELETE, encrypted, for those who repeat it. */
  tombstones: { account_id: string; path: string; response: string; created_at: Time };
  data_keys: { account_id: string; wrapped: string; master: string; created_at: Time; updated_at: Time };
  events: {
    /** Given at insert: within one resource it follows the order of the changes, because those hold the row's lock. */
    position: Generated<number>;
    /** Without gaps or latecomers: the cursor that readers follow. The dispatcher gives it, or on SQLite the insert. */
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
    /** When it may be claimed: its time or, while somebody works on it, the end of his lease. */
    run_at: Time;
    /** Claims so far, the running one included. */
    attempts: number;
    lease_owner: string | null;
    /** Asked for once more while it was running: it is not over when the present run is. */
    again_at: Time | null;
    last_error: string | null;
    dead: Flag;
    created_at: Time;
  };
  /** The processes that share this database. One that has not been seen for a while holds no connections. */
  replicas: { id: string; seen_at: Time };
}
