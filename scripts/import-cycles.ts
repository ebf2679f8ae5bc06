// Finds import cycles between files and between the entries of a folder.
import { posix } from 'node:path';

/** One import inside the repository. Type-only imports count: a reader follows them too. */
export type ImportEdge = { from: string; to: string; line: number };
/** The imports of a cycle, each leading to where the next one starts. */
export type Cycle = ImportEdge[];

/** Finds one cycle for each group of files that import each other. */
export const findFileCycles = (edges: readonly ImportEdge[]): Cycle[] => findCycles(edges, (path) => path);

/**
 * Finds cycles between the entries of each folder, where a subfolder is one entry with everything below it. Without them
 * the entries of every folder have an order in which each imports only what comes before it.
 */
export function findFolderCycles(edges: readonly ImportEdge[]): { folder: string; cycle: Cycle }[] {
  const byFolder = Map.groupBy(edges, ({ from, to }) => commonFolder(from, to));
  return [...byFolder].flatMap(([folder, inside]) =>
    findCycles(inside, (path) => entryOf(folder, path)).map((cycle) => ({ folder, cycle })),
  );
}

/** Names the file or subfolder of a folder that a path leads through. */
export function entryOf(folder: string, path: string): string {
  const end = path.indexOf('/', folder.length + 1);
  return end < 0 ? path : path.slice(0, end);
}

function findCycles(edges: readonly ImportEdge[], nodeOf: (path: string) => string): Cycle[] {
  const outgoing = new Map<string, Map<string, ImportEdge>>();
  for (const edge of edges) {
    const [from, to] = [nodeOf(edge.from), nodeOf(edge.to)];
    if (from === to) continue;
    if (!outgoing.has(from)) outgoing.set(from, new Map());
    outgoing.get(from)?.set(to, outgoing.get(from)?.get(to) ?? edge);
  }
  const known = new Set<string>();
  const found: Cycle[] = [];
  for (const start of outgoing.keys()) {
    const cycle = known.has(start) ? undefined : shortestCycle(outgoing, start);
    if (!cycle) continue;
    for (const { from } of cycle) known.add(nodeOf(from));
    found.push(cycle);
  }
  return found;
}

/** Searches breadth first from a node back to itself. */
function shortestCycle(
  outgoing: ReadonlyMap<string, ReadonlyMap<string, ImportEdge>>,
  start: string,
): Cycle | undefined {
  const paths = new Map<string, Cycle>([[start, []]]);
  for (const [node, path] of paths) {
    for (const [target, edge] of outgoing.get(node) ?? []) {
      if (target === start) return [...path, edge];
      if (!paths.has(target)) paths.set(target, [...path, edge]);
    }
  }
  return undefined;
}

function commonFolder(a: string, b: string): string {
  let folder = posix.dirname(a);
  while (folder !== '.' && !b.startsWith(`${folder}/`)) folder = posix.dirname(folder);
  return folder;
}
