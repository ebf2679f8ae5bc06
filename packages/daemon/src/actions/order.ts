import {
  closeSync,
  existsSync,
  fstatSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { ActionOutcome } from '../journal/action.ts';

/** Order of a shim. */
export interface Order {
  execution_id: string;
  /** Full container id, which also identifies its processes. */
  container: string;
  /** Socket of the engine of another node, where the container is. */
  socket?: string;
  argv: string[];
  env: Record<string, string>;
  user?: string;
  working_dir?: string;
  timeout_ms: number;
  output_limit: number;
}

/**
 * Marks that the command may have run. Written before the engine is called, so its absence proves that the command did
 * not run.
 */
export const writeBegun = (directory: string): void => writeFileSync(join(directory, 'begun'), '', { mode: 0o600 });

export const hasBegun = (directory: string): boolean => existsSync(join(directory, 'begun'));

/**
 * Writes the result atomically. The returned function flushes it to disk, unless the daemon has removed it: by then the
 * result is in its journal.
 */
export function writeResult(directory: string, outcome: ActionOutcome): () => void {
  const file = join(directory, 'result.json');
  const draft = openSync(`${file}.draft`, 'w', 0o600);
  writeFileSync(draft, JSON.stringify(outcome));
  const folder = openSync(directory, 'r');
  renameSync(`${file}.draft`, file);
  return () => {
    const removed = fstatSync(draft).nlink === 0;
    for (const opened of [draft, folder]) {
      if (!removed) fsyncSync(opened);
      closeSync(opened);
    }
  };
}

export function readResult(directory: string): ActionOutcome | undefined {
  try {
    return JSON.parse(readFileSync(join(directory, 'result.json'), 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    // A power cut can leave an empty file.
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
