import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';

/**
 * Unpacks the service of the previous baseline: the bundle of the commit tagged baseline-1, made by scripts/release. It knows the
 * migrations up to 0096. Returns its program.
 */
export function unpackBaseline(folder: string): string {
  const archive = brotliDecompressSync(readFileSync(join(import.meta.dirname, 'baseline-1.tar.br')));
  execFileSync('tar', ['-x', '-C', folder], { input: archive });
  return join(folder, 'service/main.mjs');
}
