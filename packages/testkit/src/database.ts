import { randomBytes } from 'node:crypto';
import pg from 'pg';

export type TestDatabase = AsyncDisposable & {
  readonly url: string;
  readonly name: string;
  /** Removes the database, and closes its connections. */
  drop(): Promise<void>;
};

/** The PostgreSQL server that the test run started. */
export function sharedPostgresUrl(): string {
  const url = process.env.HORTUS_TEST_POSTGRES;
  if (!url) throw new Error('HORTUS_TEST_POSTGRES is not set; run the tests with `npm test` or `npx vitest`');
  return url;
}

export interface DatabaseOptions {
  /** Name of a database to copy; it must have no connections. Empty by default. */
  template?: string | undefined;
}

/** Creates a database, so that test files share only the server. */
export async function createDatabase(
  serverUrl: string = sharedPostgresUrl(),
  { template }: DatabaseOptions = {},
): Promise<TestDatabase> {
  const name = `test_${randomBytes(8).toString('hex')}`;
  // Copying the files of a template takes half the time of logging their pages.
  const source = template === undefined ? '' : ` template ${template} strategy file_copy`;
  await command(serverUrl, `create database ${name}${source}`);
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  const drop = () => command(serverUrl, `drop database if exists ${name} with (force)`);
  return { url: url.href, name, drop, [Symbol.asyncDispose]: drop };
}

async function command(serverUrl: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: serverUrl });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
