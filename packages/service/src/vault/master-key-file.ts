import { closeSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, statSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type MasterKey, parseMasterKeys, printMasterKeys } from './master-key.ts';

type Keys = readonly [MasterKey, ...MasterKey[]];

/** The master key of an embedded installation: a file beside the database that only its owner can read. */
export class MasterKeyFile {
  readonly path: string;

  constructor(dataDirectory: string) {
    this.path = join(dataDirectory, 'master.key');
  }

  /** Undefined if there is none. */
  read(): Keys | undefined {
    const stat = statSync(this.path, { throwIfNoEntry: false });
    if (!stat) return undefined;
    if (stat.mode & 0o077) {
      throw new Error(`${this.path} can be read by others than its owner; run chmod 600 ${this.path}`);
    }
    return parseMasterKeys(readFileSync(this.path, 'utf8'), this.path);
  }

  /** Atomic and durable. */
  write(keys: Keys): void {
    const draft = `${this.path}.draft`;
    // A draft of a crashed process may have any mode, which `open` would keep.
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
