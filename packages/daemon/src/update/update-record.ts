import { mkdirSync, readFileSync, realpathSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { DaemonUpdateReason, DaemonUpdateState, UpdateOrder } from '@hortus/contract/releases/daemon-update';
import { writeSecretFile } from '../journal/secret-file.ts';
import type { ProcessIdentity } from '../process/process-identity.ts';

/** A downloaded binary in the folder of updates. */
export interface KeptRelease {
  readonly file: string;
  readonly version: string;
  readonly sha256: string;
}

/** Recognises the installed binary; a reinstalled one takes precedence over downloaded releases. */
export interface InstalledBinary {
  readonly file: string;
  readonly size: number;
  readonly modifiedMs: number;
}

export interface LastUpdate {
  readonly order: UpdateOrder;
  readonly state: DaemonUpdateState;
  readonly reason?: DaemonUpdateReason;
  readonly message?: string;
  /** Milliseconds since the epoch. */
  readonly acceptedAt: number;
}

/** Everything that must survive a kill, in one file, so that each change is atomic. */
export interface UpdateRecord {
  /** The installed binary, which is never changed; set with `current`. */
  readonly installed?: InstalledBinary;
  /** Release to run instead of the installed binary. */
  readonly current?: KeptRelease;
  /** Set until a new release has run as the daemon: where to go back to, and how often it was started. */
  readonly probation?: { readonly former?: KeptRelease; readonly starts: number };
  /** Set while a new release is tried: the daemon that tries it, and the process of the new one. */
  readonly trial?: { readonly supervisor: ProcessIdentity; readonly candidate?: ProcessIdentity };
  /** The last order and its outcome; reported after every connect. */
  readonly last?: LastUpdate;
}

type RecordChange = { [Field in keyof UpdateRecord]?: UpdateRecord[Field] | undefined };

/** Reads and writes the record. One process writes at a time: the daemon, or its start before it locks the journal. */
export class UpdateStore {
  readonly folder: string;
  readonly #file: string;
  #record: UpdateRecord;

  constructor(stateDirectory: string) {
    this.folder = join(realPath(stateDirectory), 'update');
    this.#file = join(this.folder, 'record.json');
    this.#record = this.#read();
  }

  get record(): UpdateRecord {
    return this.#record;
  }

  /** Returns after the record is on disk. Undefined values remove a field. */
  write(change: RecordChange): void {
    const next = { ...this.#record, ...change } as UpdateRecord;
    mkdirSync(this.folder, { recursive: true, mode: 0o700 });
    writeSecretFile(this.#file, `${JSON.stringify(next, null, 2)}\n`);
    this.#record = next;
  }

  /**
   * Writes a change that a full disk must not prevent: if it cannot be stored, it holds until the process ends or the next write
   * succeeds, and the error is returned.
   */
  tryToWrite(change: RecordChange): Error | undefined {
    try {
      this.write(change);
      return undefined;
    } catch (error) {
      this.#record = { ...this.#record, ...change } as UpdateRecord;
      return error as Error;
    }
  }

  /** A file that was never written, or that a disk destroyed, means the installed binary. */
  #read(): UpdateRecord {
    try {
      return JSON.parse(readFileSync(this.#file, 'utf8')) as UpdateRecord;
    } catch {
      return {};
    }
  }
}

/** Without links, like the path of a running binary, with which paths in the folder are compared. */
function realPath(stateDirectory: string): string {
  try {
    return realpathSync(stateDirectory);
  } catch {
    return resolve(stateDirectory);
  }
}
