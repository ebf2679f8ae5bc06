import type { Readable } from 'node:stream';

/** Location of a backup: instance and backup id, both validated as plain names. */
export interface BackupPlace {
  instanceUid: string;
  backupId: string;
}

/**
 * Stores the files of backups. The manifest is written last; a backup without one is the remainder of a failed backup.
 */
export interface BackupStore {
  /** Folder or address for people, without secrets. */
  readonly address: string;
  write(place: BackupPlace, file: string, content: Readable): Promise<void>;
  /** Rejects if the file does not exist. */
  read(place: BackupPlace, file: string): Promise<Readable>;
  /** Removes the backup with all files; idempotent. */
  remove(place: BackupPlace): Promise<void>;
  /** Bytes that can still be written; undefined if unknown. */
  free(): Promise<number | undefined>;
}

export const MANIFEST_FILE = 'manifest.json';
