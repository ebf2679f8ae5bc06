import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { DatabaseSync, type StatementSync } from 'node:sqlite';

/** Preloaded into the service or the bare loop: makes every fsync 5 ms slower, like a slow disk. */
const SLOWER_MS = 5;

const { fdatasync } = fs;
fs.fdatasync = Object.assign((...args: Parameters<typeof fdatasync>) => {
  setTimeout(() => fdatasync(...args), SLOWER_MS);
}, fdatasync);
syncBuiltinESMExports();

const { prepare } = DatabaseSync.prototype;
const clock = new Int32Array(new SharedArrayBuffer(4));
DatabaseSync.prototype.prepare = function (this: DatabaseSync, text: string, ...rest): StatementSync {
  const statement = prepare.call(this, text, ...rest);
  if (text !== 'commit' || !syncsCommits(this)) return statement;
  const run = statement.run.bind(statement);
  statement.run = () => {
    const outcome = run();
    Atomics.wait(clock, 0, 0, SLOWER_MS);
    return outcome;
  };
  return statement;
};

/** FULL is 2. With a lower level the committer syncs explicitly. */
const syncsCommits = (db: DatabaseSync): boolean =>
  Number(prepare.call(db, 'pragma synchronous').get()?.synchronous) >= 2;
