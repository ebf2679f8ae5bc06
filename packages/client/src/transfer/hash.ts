import { createHash } from 'node:crypto';

export const hashOf = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

/** One hash for the whole: over those of its chunks, in their order. */
export function digestOf(chunks: Iterable<{ readonly sha256: string }>): string {
  const hash = createHash('sha256');
  for (const { sha256 } of chunks) hash.update(sha256);
  return hash.digest('hex');
}
