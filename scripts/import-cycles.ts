// Finds import cycles, between files and between the entries of a folder.
import { posix } from 'node:path';

/** One import inside the repository; type-only imports count, because a reader follows them too. */
export type ImportEdge = { from: string; to: string; line: number };
export type Cycle = {
  /** The folder whose entries form the cycle; undefined for a cycle between files. */
  folder: string | undefined;
  /** Files, or files and subfolders of the folder, sorted. */
  members: string[];
  /** The imports that tie the members, sorted. */
  edges: ImportEdge[];
};

/** Finds the groups of files that import each other in a circle. */
export function findFileCycles(edges: readonly ImportEdge[]): Cycle[] {
  return cyclesAmong(edges, undefined, ({ from, to }) => [from, to]);
}

/**
 * Finds cycles between the entries of each folder, where a subfolder counts as one entry with everything below it.
 * Without such cycles the entries of every folder can be put in an order in which each imports only what stands below it.
 */
export function findFolderCycles(edges: readonly ImportEdge[]): Cycle[] {
  const byFolder = Map.groupBy(edges, ({ from, to }) => commonFolder(from, to));
  return [...byFolder].flatMap(([folder, inside]) =>
    cyclesAmong(inside, folder, ({ from, to }) => [entryOf(folder, from), entryOf(folder, to)]),
  );
}

function cyclesAmong(
  edges: readonly ImportEdge[],
  folder: string | undefined,
  ends: (edge: ImportEdge) => [string, string],
): Cycle[] {
  const targets = new Map<string, Set<string>>();
  for (const edge of edges) {
    const [from, to] = ends(edge);
    if (!targets.has(from)) targets.set(from, new Set());
    targets.get(from)?.add(to);
  }
  return stronglyConnected(targets).map((members) => {
    const inside = new Set(members);
    const tying = edges.filter((edge) => {
      const [from, to] = ends(edge);
      return from !== to && inside.has(from) && inside.has(to);
    });
    return { folder, members: members.sort(), edges: tying.sort((a, b) => (a.from < b.from ? -1 : 1)) };
  });
}

/** Returns the strongly connected components with more than one member (Tarjan's algorithm). */
function stronglyConnected(targets: ReadonlyMap<string, ReadonlySet<string>>): string[][] {
  const found: string[][] = [];
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const stack: string[] = [];
  const visit = (node: string): number => {
    const number = order.size;
    order.set(node, number);
    lowest.set(node, number);
    stack.push(node);
    for (const target of targets.get(node) ?? []) {
      const reached = order.has(target) ? (stack.includes(target) ? order.get(target) : undefined) : visit(target);
      if (reached !== undefined) lowest.set(node, Math.min(lowest.get(node) as number, reached));
    }
    if (lowest.get(node) === number) {
      const component = stack.splice(stack.indexOf(node));
      if (component.length > 1) found.push(component);
    }
    return lowest.get(node) as number;
  };
  for (const node of targets.keys()) if (!order.has(node)) visit(node);
  return found;
}

function commonFolder(a: string, b: string): string {
  let folder = posix.dirname(a);
  while (folder !== '.' && !b.startsWith(`${folder}/`)) folder = posix.dirname(folder);
  return folder;
}

function entryOf(folder: string, path: string): string {
  const start = folder === '.' ? 0 : folder.length + 1;
  const end = path.indexOf('/', start);
  return end < 0 ? path : `${path.slice(0, end)}/`;
}
