import { closeSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, statSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type MasterKey, parseMasterKeys, printMasterKeys } from './master-key.ts';

type Keys = readonly [MasterKey, ...MasterKey[]];

/** The master key of an embedded installation: a file beside the database, for its owner's eyes only. */
export class MasterKeyFile {
  readonly path: string;

  constructor(dataDirectory: string) {
    this.path = join(dataDirectory, 'master.key');
  }

  /** Undefined when there is none. */
  read(): Keys | undefined {
    const stat = statSync(this.path, { throwIfNoEntry: false });
    if (!stat) return undefined;
    if (stat.mode & 0o077) {
      throw new Error(`${this.path} can be read by others than its owner, so it is not used: chmod 600 ${this.path}`);
    }
    return parseMasterKeys(readFileSync(this.path, 'utf8'), this.path);
  }

  /** The old content or the new one, whatever happens in between; durable when it returns. */
  write(keys: Keys): void {
    const draft = `${this.path}.draft`;
    // A draft left by a process that died may have any mode, and `open` would keep it.
    rmSync(draft, { force: true });
    const file = openSync(draft, 'wx', 0o600);
    try {
      writeSync(file, `${printMasterKeys(keys)}\n`);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(draft, this.path);
    const directory = openSync(dirname(this.path), 'r');
    try {
      fsyncSync(directory);
    } finally {
      closeSync(directory);
    }
  }
}
