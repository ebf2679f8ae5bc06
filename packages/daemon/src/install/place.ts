import {
  chmodSync,
  closeSync,
  copyFileSync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import type { Placed } from './installation.ts';

/**
 * Writes everything below `root`. Files get their content and mode before their name, so that a key is never readable,
 * and a running binary is replaced instead of overwritten.
 */
export function place(placed: readonly Placed[], root: string): void {
  for (const one of placed) {
    const path = join(root, one.path);
    if (one.kind === 'folder') {
      mkdirSync(path, { recursive: true, mode: one.mode });
      chmodSync(path, one.mode);
      continue;
    }
    mkdirSync(dirname(path), { recursive: true });
    const draft = `${path}.installing`;
    rmSync(draft, { force: true });
    if (one.kind === 'copy') copyFileSync(one.from, draft);
    else writeFileSync(draft, one.text, { mode: one.mode, flag: 'wx' });
    chmodSync(draft, one.mode);
    settle(draft);
    renameSync(draft, path);
  }
}

function settle(path: string): void {
  const file = openSync(path, 'r');
  fsyncSync(file);
  closeSync(file);
}
