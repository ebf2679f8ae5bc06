import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { createDatabase, sharedPostgresUrl } from '@hortus/testkit/database';
import { temporaryFolder } from '@hortus/testkit/temporary-folder';
import { afterAll, afterEach, beforeEach, describe, expect } from 'vitest';
import { openPostgres } from '../storage/postgres/open.ts';
import type { EngineName } from '../storage/session.ts';
import { openSqlite } from '../storage/sqlite/open.ts';
import type { Storage, StorageHooks } from '../storage/storage.ts';
import { delayedIfAsked } from './late-commits.ts';
import { ENGINES, readEngines } from './selected-engines.ts';

/** A database of a test; it can be opened several times, for another replica or a restart. */
export interface TestDatabase {
  readonly engine: EngineName;
  /** The data directory of SQLite; for PostgreSQL a separate folder of the test. */
  readonly directory: string;
  readonly databaseUrl: string | undefined;
  open(hooks?: StorageHooks): Promise<Storage>;
}

/** Resources created in a test live until its end; those created in `beforeAll`, until the end of the suite. */
export interface Engine {
  readonly name: EngineName;
  /** Creates an empty database (a directory or a PostgreSQL database), removed afterwards. Has the tables unless `bare`. */
  testDatabase(options?: TestDatabaseOptions): Promise<TestDatabase>;
  /** Opens a storage on a new test database; closed afterwards. */
  open(hooks?: StorageHooks): Promise<Storage>;
  /** Runs a cleanup step at that end, in reverse order. */
  afterwards(step: Step): void;
}

interface TestDatabaseOptions {
  /** Without a schema; the first opener creates it, as on a first start. */
  readonly bare?: boolean;
}

type Step = () => unknown;

/** Runs a suite on each engine that `HORTUS_TEST_ENGINES` selects, by default on both. */
export function onBothEngines(suite: (engine: Engine) => void): void {
  for (const name of readEngines(process.env.HORTUS_TEST_ENGINES)) onEngine(name, suite);
}

/**
 * Runs a suite on both engines, whatever the run selects, because the engines do its subject differently. `subject` is
 * for the reader: locks, claims, numbering, notices, concurrency, migrations, prepared statements, search, sort order.
 */
export function onDifferingEngines(_subject: string, suite: (engine: Engine) => void): void {
  for (const name of ENGINES) onEngine(name, suite);
}

/** Runs a suite about one engine. */
export function onEngine(name: EngineName, suite: (engine: Engine) => void): void {
  describe(`on ${name}`, () => {
    const ofSuite: Step[] = [];
    const ofTest: Step[] = [];
    let inTest = false;
    beforeEach(() => {
      inTest = true;
    });
    afterEach(async () => {
      inTest = false;
      await undo(ofTest);
    });
    afterAll(() => undo(ofSuite));
    const afterwards = (step: Step) => void (inTest ? ofTest : ofSuite).push(step);

    const testDatabase = async ({ bare = false }: TestDatabaseOptions = {}): Promise<TestDatabase> => {
      const folder = temporaryFolder('test', { inMemory: true });
      afterwards(() => folder.remove());
      const template = bare ? undefined : migrated('DATABASE');
      const database = name === 'postgres' ? await createDatabase(sharedPostgresUrl(), { template }) : undefined;
      if (database) afterwards(() => database.drop());
      else if (!bare) copyFileSync(migrated('FILE'), join(folder.path, 'hortus.db'));
      const open = async (hooks: StorageHooks = {}) => {
        const storage = delayedIfAsked(
          database
            ? await openPostgres({ url: database.url, connections: 8 }, hooks)
            : await openSqlite(folder.path, hooks),
        );
        afterwards(() => storage.close());
        return storage;
      };
      return { engine: name, directory: folder.path, databaseUrl: database?.url, open };
    };
    suite({ name, testDatabase, open: async (hooks) => (await testDatabase()).open(hooks), afterwards });
  });
}

/** Created by `vitest-migrated.ts` for the whole run. */
function migrated(what: 'FILE' | 'DATABASE'): string {
  const name = `HORTUS_TEST_MIGRATED_${what}`;
  return process.env[name] ?? expect.fail(`${name} is not set; run the tests with \`npm test\` or \`npx vitest\``);
}

async function undo(steps: Step[]): Promise<void> {
  for (const step of steps.splice(0).reverse()) await step();
}
