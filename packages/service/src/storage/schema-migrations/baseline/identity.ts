/** Accounts, users, credentials, and what accounts use. */
export const identity = [
  `create table accounts (id text primary key, name text not null, plan text not null, created_at bigint not null)`,
  `create table users (
    id text primary key, account_id text not null references accounts (id), email text not null unique,
    password_hash text not null, role text not null, admin integer not null, created_at bigint not null,
    updated_at bigint not null, granted text not null default '[]', name text)`,
  `create index users_of_account on users (account_id, id)`,
  `create table invites (
    id text primary key, account_id text not null references accounts (id), email text not null, role text not null,
    hash text not null unique, created_by text, created_at bigint not null, expires_at bigint not null,
    ended_at bigint, outcome text)`,
  `create index invites_of_account on invites (account_id, id)`,
  `create unique index invites_open on invites (account_id, email) where ended_at is null`,
  `create table password_resets (
    user_id text primary key references users (id) on delete cascade, hash text not null unique, created_by text,
    created_at bigint not null, expires_at bigint not null)`,
  `create table sessions (
    id text primary key, hash text not null unique, user_id text not null references users (id) on delete cascade,
    account_id text not null, created_at bigint not null, expires_at bigint not null, address text, user_agent text,
    last_seen_at bigint not null default 0, ended_at bigint)`,
  `create index sessions_by_expiry on sessions (expires_at)`,
  `create index sessions_of_user on sessions (user_id, id)`,
  `create table stored_output (account_id text primary key references accounts (id), bytes bigint not null)`,
  `create table user_networks (
    user_id text not null references users (id) on delete cascade, network text not null,
    last_login_at bigint not null, primary key (user_id, network))`,
  `create table api_keys (
    id text primary key, account_id text not null references accounts (id), hash text not null unique,
    prefix text not null, name text not null, permissions text not null, allowed_cidrs text not null,
    expires_at bigint, last_used_at bigint, created_by text, created_at bigint not null, revoked_at bigint)`,
  `create index api_keys_of_account on api_keys (account_id, id)`,
  `create table assistant_usage (
    account_id text not null references accounts (id), asker text not null, month text not null,
    questions integer not null, prompt_tokens bigint not null, answer_tokens bigint not null,
    updated_at bigint not null, primary key (account_id, asker, month))`,
];
