import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Adds tenants, recipes and saved configs. */
export const tenantsRecipesConfigs = (): Migration => ({
  async up(db: Kysely<unknown>) {
    for (const statement of statements) await sql.raw(statement).execute(db);
  },
});

const statements = [
  `create table tenants (
    id text primary key, account_id text not null references accounts (id), name text not null, slug text not null,
    server_id text not null references servers (id), status text not null, suspended_at bigint,
    created_at bigint not null, updated_at bigint not null)`,
  `create unique index tenants_by_slug on tenants (account_id, slug) where status <> 'deleted'`,
  `create index tenants_of_account on tenants (account_id, id)`,
  `create index tenants_by_status on tenants (account_id, status, id)`,
  `create index tenants_of_server on tenants (server_id, id)`,
  `create table suspended_instances (
    tenant_id text not null references tenants (id), instance_id text not null references instances (id),
    primary key (tenant_id, instance_id))`,
  `alter table definitions add column tenant_id text references tenants (id)`,
  `create index definitions_of_tenant on definitions (tenant_id, id) where tenant_id is not null`,

  `alter table templates add column author_account text`,
  `alter table templates add column author text`,
  `create table recipes (
    id text primary key, account_id text not null references accounts (id), slug text not null, name text not null,
    description text not null, author text not null, spec text not null, spec_form text not null,
    findings text not null, valid integer not null, status text not null, upvotes integer not null, reason text,
    template_id text references templates (id), reviewed_at bigint, created_at bigint not null,
    updated_at bigint not null)`,
  `create unique index recipes_waiting on recipes (slug) where status = 'pending'`,
  `create index recipes_by_status on recipes (status, id)`,
  `create index recipes_by_upvotes on recipes (status, upvotes, id)`,
  `create index recipes_by_slug on recipes (slug, id)`,
  `create index recipes_of_account on recipes (account_id, id)`,
  `create table recipe_upvotes (
    recipe_id text not null references recipes (id) on delete cascade, voter text not null,
    created_at bigint not null, primary key (recipe_id, voter))`,

  `create table saved_configs (
    id text primary key, account_id text not null references accounts (id), name text not null, species text not null,
    profile text, variant text, inputs text not null, created_by text, created_at bigint not null,
    updated_at bigint not null)`,
  `create index saved_configs_of_account on saved_configs (account_id, id)`,
  `create index saved_configs_of_species on saved_configs (account_id, species, id)`,
  `create table saved_config_secrets (
    config_id text not null references saved_configs (id) on delete cascade, name text not null,
    ciphertext text not null, primary key (config_id, name))`,
];
