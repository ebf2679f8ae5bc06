// Generates the secrets of an installation with Compose before its other containers start. Existing files stay as they are.
import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

// The database runs as another user, so these can be read by all. Only this container and that of the database mount the volume:
// the service never sees the password of the superuser, and its own role has no rights beyond its database. In an installation
// from before this rule the role of the service stays the superuser, because the first superuser cannot lose its rights.
const superuser = keep('/run/hortus/database-superuser', 0o444, () =>
  existsSync('/run/hortus/database-password') ? 'hortus' : 'postgres',
);
const password = keep('/run/hortus/database-password', 0o444, () => randomBytes(24).toString('hex'));
keep('/run/hortus/database-superuser-password', 0o444, () =>
  superuser === 'hortus' ? password : randomBytes(24).toString('hex'),
);
// Run by the database at its first start.
keep(
  '/run/hortus/role.sql',
  0o444,
  () => `\\set password \`cat /run/hortus/database-password\`
create role hortus login nosuperuser nocreatedb nocreaterole noreplication password :'password';
create database hortus owner hortus;
revoke all on database hortus from public;`,
);
// Several hosts, separated by commas, for a database that fails over.
const hosts = process.env.DATABASE_HOSTS || 'database:5432';
keep('/var/lib/hortus/secrets/database-url', 0o400, () => `postgres://hortus:${password}@${hosts}/hortus`);
keep('/var/lib/hortus/secrets/master-key', 0o400, () => randomBytes(32).toString('base64'));

/** Returns the content of a file; writes it first if it is missing. Atomic, so that a killed first start leaves no half secret. */
function keep(path: string, mode: number, make: () => string): string {
  if (existsSync(path)) return readFileSync(path, 'utf8').trim();
  mkdirSync(dirname(path), { recursive: true, mode: 0o755 });
  const draft = `${path}.draft`;
  const secret = make();
  writeFileSync(draft, `${secret}\n`, { mode: 0o600, flush: true });
  chmodSync(draft, mode);
  renameSync(draft, path);
  console.log(`Generated ${path}`);
  return secret;
}
