/**
 * Persistent state of the daemon. Executions and deployments that are `finished` but not `reported` still have to be
 * reported; there is no second list that could disagree.
 */
export const SCHEMA = `
create table if not exists executions (
  id text primary key,
  request text not null,
  phase text not null check (phase in ('received', 'started', 'finished')),
  runner text,
  outcome text,
  reported integer not null default 0,
  received_at integer not null,
  finished_at integer
) strict;
create index if not exists executions_unsettled on executions (received_at) where phase <> 'finished' or reported = 0;

create table if not exists deployments (
  id text primary key,
  definition_id text not null,
  instance_uid text,
  revision integer not null,
  manifest text,
  phase text not null check (phase in ('received', 'started', 'finished')),
  step text,
  result text,
  reported integer not null default 0,
  received_at integer not null,
  finished_at integer
) strict;
create index if not exists deployments_unsettled on deployments (received_at) where phase <> 'finished' or reported = 0;

create table if not exists manifests (
  instance_uid text primary key,
  deployment_id text not null,
  revision integer not null,
  signed_at integer not null,
  manifest text not null
) strict;

create table if not exists instance_ids (
  instance_uid text primary key,
  instance_id text not null
) strict;

create table if not exists watches (
  instance_uid text primary key,
  deployment_id text not null,
  until integer not null,
  irreversible text,
  former text not null
) strict;

create table if not exists schedules (
  instance_uid text not null,
  component text not null,
  schedule text not null,
  due_at integer not null,
  last_execution text,
  primary key (instance_uid, component)
) strict;

create table if not exists routes (
  instance_uid text primary key,
  routes text not null
) strict;

create table if not exists pauses (
  instance_uid text primary key,
  containers text not null
) strict;

create table if not exists pulled_images (
  image text primary key
) strict;

create table if not exists written_paths (
  path text primary key
) strict;

create table if not exists finished_transfers (
  number integer primary key,
  id text not null unique,
  outcome text not null
) strict;

create table if not exists last_term (
  only integer primary key check (only = 1),
  epoch integer not null
) strict;

create table if not exists pinned (
  name text primary key,
  value text not null
) strict;
`;

/** Migrations in order; `user_version` counts those that a journal has. */
export const CHANGES: readonly string[] = [
  'alter table deployments add column claim text',
  'alter table deployments add column rollback_of text',
  'alter table manifests add column images text',
];
