import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** Writes a file that only its owner can read, atomically. Returns after the data is on disk. */
export function writeSecretFile(file: string, text: string): void {
  const draft = `${file}.draft`;
  // A leftover could have a more open mode or be a link.
  rmSync(draft, { force: true });
  const opened = openSync(draft, 'wx', 0o600);
  writeFileSync(opened, text);
  fsyncSync(opened);
  closeSync(opened);
  renameSync(draft, file);
  const folder = openSync(dirname(file), 'r');
  fsyncSync(folder);
  closeSync(folder);
}
