import type { Generated } from 'kysely';
import type { Flag, Json, Time } from './columns.ts';

/** Accounts, users and their credentials. */
export interface IdentityTables {
  accounts: { id: string; name: string; plan: 'free' | 'pro' | 'enterprise'; created_at: Time };
  users: {
    id: string;
    account_id: string;
    email: string;
    /** Name of the person; null until given. */
    name: string | null;
    password_hash: string;
    role: 'owner' | 'member';
    admin: Flag;
    /** Permissions beyond those of the role. */
    granted: Generated<Json>;
    created_at: Time;
    updated_at: Time;
  };
  /** An invitation of a new user to an account. */
  invites: {
    id: string;
    account_id: string;
    email: string;
    role: 'owner' | 'member';
    hash: string;
    created_by: string | null;
    created_at: Time;
    expires_at: Time;
    /** When it was accepted or revoked; null while it is open. */
    ended_at: Time | null;
    outcome: 'accepted' | 'revoked' | null;
  };
  /** At most one for each user: a new one replaces the last. */
  password_resets: { user_id: string; hash: string; created_by: string | null; created_at: Time; expires_at: Time };
  sessions: {
    id: string;
    hash: string;
    /** Hash of the page token; null if an older replica began the session, which is not accepted then. */
    page_hash: string | null;
    user_id: string;
    account_id: string;
    created_at: Time;
    expires_at: Time;
    /** Address and user agent of the sign-in. */
    address: string | null;
    user_agent: string | null;
    /** Written about every half minute while the session is used. */
    last_seen_at: Time;
    ended_at: Time | null;
  };
  /** Stored bytes of outputs and logs. */
  stored_output: {
    account_id: string;
    bytes: number;
  };
  /** Networks from which users have signed in, so that failures from other networks do not delay them. */
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
