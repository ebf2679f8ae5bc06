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
  for (const item of placed) {
    const path = join(root, item.path);
    if (item.kind === 'folder') {
      mkdirSync(path, { recursive: true, mode: item.mode });
      chmodSync(path, item.mode);
      continue;
    }
    mkdirSync(dirname(path), { recursive: true });
    const draft = `${path}.installing`;
    rmSync(draft, { force: true });
    if (item.kind === 'copy') copyFileSync(item.from, draft);
    else writeFileSync(draft, item.text, { mode: item.mode, flag: 'wx' });
    chmodSync(draft, item.mode);
    settle(draft);
    renameSync(draft, path);
  }
}

function settle(path: string): void {
  const file = openSync(path, 'r');
  fsyncSync(file);
  closeSync(file);
}
