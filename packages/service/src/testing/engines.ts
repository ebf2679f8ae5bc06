import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { createDatabase, sharedPostgresUrl } from '@hortus/testkit/database';
import { temporaryFolder } from '@hortus/testkit/temporary-folder';
import { afterAll, afterEach, beforeEach, describe, expect } from 'vitest';
import { openPostgres } from '../storage/postgres/open.ts';
import type { EngineName } from '../storage/session.ts';
import { openSqlite } from '../storage/sqlite/open.ts';
import type { Storage, StorageHooks } from '../storage/storage.ts';
import { asTheRunAsks } from './late-answers.ts';

/** Somewhere to keep data: what a test opens a storage on, several times if it wants to see another replica or a restart. */
export interface Ground {
  readonly engine: EngineName;
  /** The data directory of SQLite; for PostgreSQL just a folder of the test's own. */
  readonly directory: string;
  readonly databaseUrl: string | undefined;
  open(hooks?: StorageHooks): Promise<Storage>;
}

/** What is made in a test lives until the test ends; what is made in `beforeAll`, until the suite does. */
export interface Engine {
  readonly name: EngineName;
  /** Fresh ground: its own directory or its own database, removed afterwards. Has the tables already, unless it is to be bare. */
  ground(options?: GroundOptions): Promise<Ground>;
  /** A storage on fresh ground, closed afterwards. */
  open(hooks?: StorageHooks): Promise<Storage>;
  /** Has something undone at that same end, before what was made earlier. */
  afterwards(step: Step): void;
}

export interface GroundOptions {
  /** Without a schema: whoever opens it first makes that, as on the first start of all. */
  readonly bare?: boolean;
}

type Step = () => unknown;

/** Runs a suite once per engine: what holds on one must hold on the other. */
export function onBothEngines(suite: (engine: Engine) => void): void {
  for (const name of ['sqlite', 'postgres'] as const) {
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

      const ground = async ({ bare = false }: GroundOptions = {}): Promise<Ground> => {
        const folder = temporaryFolder();
        afterwards(() => folder.remove());
        const template = bare ? undefined : migrated('DATABASE');
        const database = name === 'postgres' ? await createDatabase(sharedPostgresUrl(), { template }) : undefined;
        if (database) afterwards(() => database.drop());
        else if (!bare) copyFileSync(migrated('FILE'), join(folder.path, 'hortus.db'));
        const open = async (hooks: StorageHooks = {}) => {
          const storage = asTheRunAsks(
            database
              ? await openPostgres({ url: database.url, connections: 8 }, hooks)
              : await openSqlite(folder.path, hooks),
          );
          afterwards(() => storage.close());
          return storage;
        };
        return { engine: name, directory: folder.path, databaseUrl: database?.url, open };
      };
      suite({ name, ground, open: async (hooks) => (await ground()).open(hooks), afterwards });
    });
  }
}

/** What `vitest-migrated.ts` has made for the whole run. */
function migrated(what: 'FILE' | 'DATABASE'): string {
  const name = `HORTUS_TEST_MIGRATED_${what}`;
  return process.env[name] ?? expect.fail(`${name} is not set; run the tests with \`npm test\` or \`npx vitest\``);
}

async function undo(steps: Step[]): Promise<void> {
  for (const step of steps.splice(0).reverse()) await step();
}
