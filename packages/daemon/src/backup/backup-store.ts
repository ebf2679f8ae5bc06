import type { Readable } from 'node:stream';

/** Where a backup is: of one instance, under its own id. Both have been checked to be plain names. */
export interface BackupPlace {
  instanceUid: string;
  backupId: string;
}

/**
 * Keeps files of backups. A backup is there from the moment its manifest is, which is written last; what has none is the
 * rest of one that came to nothing.
 */
export interface BackupStore {
  /** As people know it, without anything secret: a folder, or an address. */
  readonly address: string;
  write(place: BackupPlace, file: string, content: Readable): Promise<void>;
  /** Fails if it is not there. */
  read(place: BackupPlace, file: string): Promise<Readable>;
  /** With everything in it; one that is not there is no error. */
  remove(place: BackupPlace): Promise<void>;
  /** Bytes that can still be written; undefined where nobody knows. */
  free(): Promise<number | undefined>;
}

export const MANIFEST_FILE = 'manifest.json';
