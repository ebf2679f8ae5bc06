import type { Flag, Json, Time } from './columns.ts';

/** Who may call, and for which account. */
export interface IdentityTables {
  accounts: { id: string; name: string; plan: 'free' | 'pro' | 'enterprise'; created_at: Time };
  users: {
    id: string;
    account_id: string;
    email: string;
    password_hash: string;
    role: 'owner' | 'member';
    admin: Flag;
    created_at: Time;
    updated_at: Time;
  };
  /** A way into an account for somebody who has none of its users yet. */
  invites: {
    id: string;
    account_id: string;
    email: string;
    role: 'owner' | 'member';
    hash: string;
    created_by: string | null;
    created_at: Time;
    expires_at: Time;
    /** When it was accepted or taken back; null while it can be accepted. */
    ended_at: Time | null;
    outcome: 'accepted' | 'revoked' | null;
  };
  /** One at most for each user: a new one takes the place of the last. */
  password_resets: { user_id: string; hash: string; created_by: string | null; created_at: Time; expires_at: Time };
  sessions: {
    id: string;
    hash: string;
    user_id: string;
    account_id: string;
    created_at: Time;
    expires_at: Time;
    /** Where it was signed in from, and with what. */
    address: string | null;
    user_agent: string | null;
    /** Written about every half minute while it is used. */
    last_seen_at: Time;
    ended_at: Time | null;
  };
  /** Bytes of outputs and logs that are kept. */
  stored_output: {
    account_id: string;
    bytes: number;
  };
  /** From where users have signed in, so that failures of others do not hold them up there. */
  user_networks: { user_id: string; network: string; last_login_at: Time };
  api_keys: {
    id: string;
    account_id: string;
    hash: string;
    prefix: string;
    name: string;
    permissions: Json;
    allowed_cidrs: Json;
    expires_at: Time | null;
    last_used_at: Time | null;
    created_by: string | null;
    created_at: Time;
    revoked_at: Time | null;
  };
}
