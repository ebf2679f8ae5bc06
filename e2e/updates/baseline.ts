import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';

/**
 * Unpacks the service of the former version: the first commit with the migration 0001-baseline and no later one, packed by
 * pack-baseline.ts. Returns its program.
 */
export function unpackBaseline(folder: string): string {
  const archive = brotliDecompressSync(readFileSync(join(import.meta.dirname, 'baseline-2.tar.br')));
  execFileSync('tar', ['-x', '-C', folder], { input: archive });
  return join(folder, 'service/main.mjs');
}
