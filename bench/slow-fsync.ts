import { DatabaseSync, type StatementSync } from 'node:sqlite';

/** Preloaded into the service or the bare loop: every commit takes 5 ms longer, as on a disk with a slow fsync. */
const prepare = DatabaseSync.prototype.prepare;
const clock = new Int32Array(new SharedArrayBuffer(4));
DatabaseSync.prototype.prepare = function (this: DatabaseSync, text: string, ...rest): StatementSync {
  const statement = prepare.call(this, text, ...rest);
  if (text !== 'commit') return statement;
  const run = statement.run.bind(statement);
  statement.run = () => {
    const outcome = run();
    Atomics.wait(clock, 0, 0, 5);
    return outcome;
  };
  return statement;
};
