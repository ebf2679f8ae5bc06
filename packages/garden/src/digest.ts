import { createHash } from 'node:crypto';
import { canonicalJson } from '@hortus/template/canonical/canonical-json';

/** Called between parts of long work, to let other work have its turn; undefined if it need not pause yet. */
export type Pause = () => Promise<void> | undefined;

export const noPause: Pause = () => undefined;

/** Hashes values in their order, with pauses: a garden may have 60,000 of them. */
export async function digestOf(parts: Iterable<unknown>, pause: Pause = noPause): Promise<string> {
  const hash = createHash('sha256');
  for (const part of parts) {
    // A line break is never inside JSON, so that no two lists of parts give the same text.
    hash.update(canonicalJson(part)).update('\n');
    await pause();
  }
  return hash.digest('hex');
}

/** Splits the content of a garden into parts, so that no part is large. Equal contents give equal parts. */
export function* partsOf(content: Readonly<Record<string, unknown>>, path: readonly string[] = []): Iterable<unknown> {
  for (const name of Object.keys(content).sort()) {
    const value = content[name];
    const isSection = path.length < 2 && typeof value === 'object' && value !== null && !Array.isArray(value);
    if (isSection) yield* partsOf(value as Record<string, unknown>, [...path, name]);
    else yield [...path, name, value ?? null];
  }
}
