import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ActionOutcome } from './action.ts';

/** What a shim is to do. */
export interface Order {
  execution_id: string;
  /** Its full id, by which its processes are recognised too. */
  container: string;
  argv: string[];
  env: Record<string, string>;
  user?: string;
  working_dir?: string;
  timeout_ms: number;
  output_limit: number;
}

/** From here on the command may have run. Written before the engine is asked, so its absence is proof that it did not. */
export const writeBegun = (directory: string): void => writeFileSync(join(directory, 'begun'), '', { mode: 0o600 });

export const hasBegun = (directory: string): boolean => existsSync(join(directory, 'begun'));

/**
 * There whole or not at all, for every process that looks. Whether it outlives a power cut is settled by what is returned, so
 * that a daemon that waits need not wait for that too: it puts the result into its journal before it tells anybody.
 */
export function writeResult(directory: string, outcome: ActionOutcome): () => void {
  const file = join(directory, 'result.json');
  const draft = openSync(`${file}.draft`, 'w', 0o600);
  writeFileSync(draft, JSON.stringify(outcome));
  const folder = openSync(directory, 'r');
  renameSync(`${file}.draft`, file);
  return () => {
    for (const opened of [draft, folder]) {
      fsyncSync(opened);
      closeSync(opened);
    }
  };
}

export function readResult(directory: string): ActionOutcome | undefined {
  try {
    return JSON.parse(readFileSync(join(directory, 'result.json'), 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    // A power cut can leave the name without the text.
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
