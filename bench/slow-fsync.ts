import { DatabaseSync } from 'node:sqlite';

/** Preloaded into the service or the bare loop: every commit takes 5 ms longer, as on a disk with a slow fsync. */
const exec = DatabaseSync.prototype.exec;
const clock = new Int32Array(new SharedArrayBuffer(4));
DatabaseSync.prototype.exec = function (this: DatabaseSync, text: string): void {
  exec.call(this, text);
  if (text === 'commit') Atomics.wait(clock, 0, 0, 5);
};
