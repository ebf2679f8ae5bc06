import type { Canonical } from '@hortus/template/canonical/canonical-form';

/** The database component of a species, with how to look into it. */
export interface SpeciesDatabase {
  readonly kind: 'postgres' | 'mariadb';
  readonly user: string;
  readonly name: string;
  /** Whether the application creates the database and its user at its first start. */
  readonly madeByApplication: boolean;
}

/** Returns what the database of a species is; undefined if none of Debian's can stand in for it. */
export function databaseOf({ components, actions, backup }: Canonical): SpeciesDatabase | undefined {
  const component = actions.find(({ slug }) => slug === backup.dump_action)?.component;
  const env = component === 'db' ? components.db?.env : undefined;
  if (env?.POSTGRES_USER !== undefined)
    return {
      kind: 'postgres',
      user: env.POSTGRES_USER,
      name: env.POSTGRES_DB ?? env.POSTGRES_USER,
      madeByApplication: false,
    };
  const user = env?.MARIADB_USER ?? env?.MYSQL_USER;
  const name = env?.MARIADB_DATABASE ?? env?.MYSQL_DATABASE;
  if (user !== undefined && name !== undefined) return { kind: 'mariadb', user, name, madeByApplication: false };
  const created = components.app?.env.SYMFONY__ENV__DATABASE_NAME;
  if (env?.MARIADB_ROOT_PASSWORD === undefined || created === undefined) return undefined;
  return { kind: 'mariadb', user: created, name: created, madeByApplication: true };
}

/** Runs a statement, for psql and mariadb. */
const ASK = {
  postgres: 'ask() { psql --no-align --tuples-only --quiet --set=ON_ERROR_STOP=1 --command="$1"; }',
  mariadb:
    'ask() { mariadb --host="$DB_HOST" --user="$DB_USER" --batch --skip-column-names --execute="$1" "$DB_NAME"; }',
};

/** As an application that creates its database: only if that is missing, and its user with it. */
const CREATE = `
root() { MYSQL_PWD="$ROOT_PASSWORD" mariadb --host="$DB_HOST" --user=root --batch --skip-column-names --execute="$1"; }
if [ -z "$(root "show databases like '$DB_NAME'")" ]; then
  root "create database $DB_NAME; create user '$DB_USER'@'%' identified by '$MYSQL_PWD'; grant all on $DB_NAME.* to '$DB_USER'@'%'"
fi`;

/**
 * An application that brings its tables to its version, remembers what it has read, and goes on writing. A second
 * version adds a table that must not exist yet, as migrations do.
 */
const application = (kind: SpeciesDatabase['kind'], creates: boolean) => `set -e
run=$(cat /proc/sys/kernel/random/uuid)
${ASK[kind]}${creates ? CREATE : ''}
ask "create table if not exists beds (id int primary key, plant varchar(100))"
ask "create table if not exists written (run varchar(40))"
ask "create table if not exists state (version int)"
ask "insert into state select 1 from (select 1 as n) one where not exists (select 1 from state)"
if [ "$VERSION" = 2 ] && [ "$(ask 'select version from state')" = 1 ]; then
  ask "create table harvests (bed int, foreign key (bed) references beds (id))"
  ask "update state set version = 2"
fi
ask "select plant from beds order by id" > /tmp/cache
touch /tmp/ready
while sleep 0.2; do ask "insert into written values ('$run')" || true; done
`;

/** MySQL is not in Debian; MariaDB's programs have other names. */
const onMariadb = (argv: readonly string[] | undefined) =>
  argv?.flatMap((word) => {
    if (word === '--no-tablespaces') return [];
    return /^mysql(dump|d)?$/.test(word) ? [word.replace('mysql', 'mariadb')] : [word];
  });

/**
 * A species whose application cannot run here, around its own database: component, dump and restore as they are, on an
 * image of Debian, and an application that writes, caches and migrates.
 */
export function onStandIn(
  spec: Canonical,
  database: SpeciesDatabase,
  image: Canonical['image'],
  version: string,
): string {
  const { slug, secrets, inputs, actions, backup } = spec;
  const { restore_command, restore_into, dump_action } = backup;
  const { kind, user, name, madeByApplication } = database;
  const env = Object.entries(spec.components.db?.env ?? {}).map(([key, value]) => [
    key.replace(/^MYSQL_/, 'MARIADB_'),
    value,
  ]);
  const { command, healthcheck, depends_on: _, resources: __, ...rest } = spec.components.db ?? {};
  const isMysql = spec.components.db?.env.MYSQL_DATABASE !== undefined;
  const db = {
    ...rest,
    image: '${template.image}',
    env: Object.fromEntries(env),
    ...(command && !isMysql && { command }),
    healthcheck: isMysql ? { test: ['healthcheck.sh', '--connect', '--innodb_initialized'] } : healthcheck,
    ...(spec.components.db?.depends_on.schema && { depends_on: { schema: 'completed' } }),
  };
  const used = JSON.stringify([db, actions.find((action) => action.slug === dump_action)]);
  const password = db.env.POSTGRES_PASSWORD ?? db.env.MARIADB_PASSWORD ?? '${secrets.DB_PASSWORD}';
  const schema = {
    kind: 'job',
    run: 'before_start',
    image: '${template.image}',
    entrypoint: ['sh', '-c'],
    command: [
      'test -e /schema/first || date +%s%N > /schema/first; echo "create table shipped (id int);" > /schema/tables.sql',
    ],
    storage: spec.components.schema?.storage,
    user: '0:0',
  };
  return JSON.stringify({
    slug: `${slug}-restored`,
    name: `The database of ${slug}`,
    version,
    archetype: 'application',
    taxonomy: { kingdom: 'data', family: 'database' },
    image: { repository: image?.repository, tag: image?.tag, ...(image?.digest && { digest: image.digest }) },
    inputs: {
      optional: [
        ...inputs.optional.filter((input) => used.includes(`inputs.${input.name}`)),
        { name: 'VERSION', type: 'string', default: '1' },
      ],
    },
    secrets: Object.fromEntries(Object.entries(secrets).filter(([secret]) => used.includes(`secrets.${secret}`))),
    components: {
      app: {
        image: '${template.image}',
        entrypoint: ['sh', '-c'],
        command: [application(kind, madeByApplication)],
        env: {
          VERSION: '${inputs.VERSION}',
          ...(kind === 'postgres'
            ? { PGHOST: '${components.db.host}', PGUSER: user, PGDATABASE: name, PGPASSWORD: password }
            : { DB_HOST: '${components.db.host}', DB_USER: user, DB_NAME: name, MYSQL_PWD: password }),
          ...(madeByApplication && { ROOT_PASSWORD: db.env.MARIADB_ROOT_PASSWORD }),
        },
        healthcheck: {
          test: ['test', '-e', '/tmp/ready'],
          interval: '1s',
          timeout: '5s',
          retries: 3,
          start_period: '30s',
        },
        depends_on: { db: 'healthy' },
        stop_signal: 'SIGKILL',
      },
      db,
      ...(spec.components.db?.depends_on.schema && { schema }),
    },
    actions: actions
      .filter((action) => action.slug === dump_action)
      .map((action) => ({ ...action, command: isMysql ? onMariadb(action.command) : action.command })),
    backup: {
      strategy: 'dump',
      dump_action,
      restore_command: isMysql ? onMariadb(restore_command) : restore_command,
      restore_into,
    },
    smoke: [{ exec: { component: 'app', command: ['test', '-e', '/tmp/ready'] } }],
  });
}
