import type { Endpoint } from '@hortus/contract/endpoint';
import { endpoints } from '@hortus/contract/endpoints';

/** Longer names are not compared: the work grows with their length. */
const MAX_NAME_LENGTH = 64;
/** Fewest edits that make a name an unlike one. */
const MAX_DISTANCE = 6;

/** Returns the row of an endpoint. JavaScript has no compiler to refuse an unknown name, so this does, with the nearest one. */
export function knownEndpoint(name: string): Endpoint {
  if (typeof name === 'string' && Object.hasOwn(endpoints, name)) return endpoints[name as keyof typeof endpoints];
  const nearest = nearestTo(String(name));
  const hint = nearest === undefined ? '' : ` Did you mean ${nearest}?`;
  throw new TypeError(`There is no endpoint named ${String(name).slice(0, MAX_NAME_LENGTH)}.${hint}`);
}

function nearestTo(name: string): string | undefined {
  if (name.length > MAX_NAME_LENGTH) return undefined;
  let [nearest, minDistance]: [string | undefined, number] = [undefined, Math.min(MAX_DISTANCE, name.length)];
  for (const known of Object.keys(endpoints)) {
    const distance = editDistance(name.toLowerCase(), known.toLowerCase());
    if (distance < minDistance) [nearest, minDistance] = [known, distance];
  }
  return nearest;
}

/** Counts the letters to insert, remove or replace (Levenshtein). */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let at = 1; at <= from.length; at++) {
    const next = [at];
    for (let column = 1; column <= to.length; column++) {
      const replaced = (row[column - 1] as number) + (from[at - 1] === to[column - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[column] as number) + 1, (next[column - 1] as number) + 1));
    }
    row = next;
  }
  return row[to.length] as number;
}
