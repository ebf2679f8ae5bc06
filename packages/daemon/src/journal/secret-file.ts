import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** Writes a file that only its owner reads, whole or not at all. Returns after the disk has it. */
export function writeSecretFile(file: string, text: string): void {
  const draft = `${file}.draft`;
  // One that was left behind could be more open, or a link.
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
