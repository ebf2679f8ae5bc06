import type { Path, Remark } from '../source/finding.ts';
import { isMapping } from './schema-check.ts';

/** Placeholders for required keys, so that the rest can be checked while one of them is missing. */
const PLACEHOLDERS = {
  slug: 'unnamed',
  name: 'unnamed',
  version: '0.0.0',
  archetype: 'application',
  taxonomy: { kingdom: 'applications', family: 'unnamed' },
};

/**
 * Returns a copy without the parts that do not fit the schema, so that other mistakes can be reported at the same time.
 */
export function prune(value: unknown, remarks: readonly Remark[]): unknown {
  if (!isMapping(value)) return { ...PLACEHOLDERS };
  const copy = structuredClone(value);
  // Remove from the end, so that removing a list entry does not shift entries that are still to be removed.
  const paths = remarks.map(({ path }) => path).sort(byPlace);
  for (const path of paths.reverse()) remove(copy, path);
  return { ...PLACEHOLDERS, ...copy };
}

function byPlace(a: Path, b: Path): number {
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    const [item, other] = [a[i], b[i]];
    if (item === other) continue;
    if (typeof item === 'number' && typeof other === 'number') return item - other;
    return String(item) < String(other) ? -1 : 1;
  }
  return a.length - b.length;
}

function remove(root: Record<string, unknown>, path: Path): void {
  const last = path.at(-1);
  let holder: unknown = root;
  for (const step of path.slice(0, -1)) holder = (holder as Record<string | number, unknown> | undefined)?.[step];
  if (Array.isArray(holder) && typeof last === 'number') holder.splice(last, 1);
  else if (isMapping(holder) && last !== undefined) delete holder[last];
}
