/** Templates, recipes, saved configs and connections. */
export const catalog = [
  `create table templates (
    id text primary key, owner text not null, species text not null, version text not null, name text not null,
    description text not null, archetype text not null, kingdom text not null, family text not null,
    app_version text not null, spec text not null, spec_hash text not null, status text not null,
    deprecated integer not null, featured integer not null, created_at bigint not null, updated_at bigint not null,
    source text, validated_hash text, author_account text, author text, verified_at bigint, verified_digest text,
    unique (owner, species, version))`,
  `create index templates_of_owner on templates (owner, id)`,
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
    id text primary key, account_id text not null references accounts (id), name text not null,
    species text not null, profile text, variant text, inputs text not null, created_by text,
    created_at bigint not null, updated_at bigint not null)`,
  `create index saved_configs_of_account on saved_configs (account_id, id)`,
  `create index saved_configs_of_species on saved_configs (account_id, species, id)`,
  `create table saved_config_secrets (
    config_id text not null references saved_configs (id) on delete cascade, name text not null,
    ciphertext text not null, primary key (config_id, name))`,
  `create table connections (
    id text primary key, account_id text not null references accounts (id), name text not null, class text not null,
    created_by text, created_at bigint not null, updated_at bigint not null)`,
  `create index connections_of_account on connections (account_id, id)`,
  `create index connections_of_class on connections (account_id, class, id)`,
  `create unique index connections_by_name on connections (account_id, name)`,
  `create table connection_attributes (
    connection_id text not null references connections (id) on delete cascade, name text not null, value text,
    ciphertext text, updated_at bigint not null, primary key (connection_id, name))`,
];
