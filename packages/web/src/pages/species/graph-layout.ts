/** A part of a species and what it waits for. */
export interface GraphNode {
  readonly name: string;
  readonly note: string;
  /** A job or an address is drawn with a dashed outline. */
  readonly kind: 'service' | 'job' | 'route';
  readonly needs: Readonly<Record<string, string>>;
}

interface PlacedNode extends GraphNode {
  readonly x: number;
  readonly y: number;
}

interface PlacedEdge {
  readonly from: string;
  readonly to: string;
  readonly label: string;
  readonly path: string;
  /** Where the label stands, and the end with its direction. */
  readonly at: { readonly x: number; readonly y: number };
  readonly tip: { readonly x: number; readonly y: number; readonly up: boolean };
}

export interface Layout {
  readonly width: number;
  readonly height: number;
  readonly nodes: readonly PlacedNode[];
  readonly edges: readonly PlacedEdge[];
}

export const BOX = { width: 132, height: 44 } as const;
const GAP = { x: 84, y: 34 } as const;
const MARGIN = 2;
/** Distance between two edges that run below the boxes. */
const LANE = 16;

/** Places the parts in columns: each right of everything that waits for it. Neighbours join straight, others below. */
export function layoutOf(input: readonly GraphNode[]): Layout {
  const known = new Set(input.map(({ name }) => name));
  const columns = columnsOf(input);
  const rows = new Map<number, number>();
  const nodes = input.map((node): PlacedNode => {
    const column = columns.get(node.name) ?? 0;
    const row = rows.get(column) ?? 0;
    rows.set(column, row + 1);
    return { ...node, x: MARGIN + column * (BOX.width + GAP.x), y: MARGIN + row * (BOX.height + GAP.y) };
  });
  const placeOf = new Map(nodes.map((node) => [node.name, node]));
  const bottom = Math.max(0, ...nodes.map(({ y }) => y)) + BOX.height;
  let lanes = 0;
  const edges = nodes.flatMap((from) =>
    Object.entries(from.needs)
      .filter(([to]) => known.has(to))
      .map(([to, label]) => {
        const target = placeOf.get(to) as PlacedNode;
        const isNext = (columns.get(to) ?? 0) - (columns.get(from.name) ?? 0) === 1;
        return isNext ? besideEdge(from, target, label) : belowEdge(from, target, label, bottom + LANE * ++lanes);
      }),
  );
  const width = Math.max(0, ...nodes.map(({ x }) => x)) + BOX.width + MARGIN;
  return { width, height: bottom + MARGIN + (lanes > 0 ? LANE * lanes + 4 : 0), nodes, edges };
}

/** Column of each part: the longest way from one that nothing waits for. A cycle ends where it began. */
function columnsOf(nodes: readonly GraphNode[]): ReadonlyMap<string, number> {
  const byName = new Map(nodes.map((node) => [node.name, node]));
  const columns = new Map(nodes.map(({ name }) => [name, 0]));
  const push = (name: string, column: number, way: ReadonlySet<string>) => {
    if (way.has(name) || (column > 0 && (columns.get(name) ?? 0) >= column)) return;
    columns.set(name, column);
    for (const need of Object.keys(byName.get(name)?.needs ?? {}))
      if (byName.has(need)) push(need, column + 1, new Set([...way, name]));
  };
  for (const { name } of nodes) push(name, columns.get(name) ?? 0, new Set());
  return columns;
}

function besideEdge(from: PlacedNode, to: PlacedNode, label: string): PlacedEdge {
  const start = { x: from.x + BOX.width, y: from.y + BOX.height / 2 };
  const end = { x: to.x, y: to.y + BOX.height / 2 };
  // A bend stands at the target, so that the label has a straight piece.
  const bend = end.x - 16;
  const path =
    start.y === end.y ? `M${start.x} ${start.y}H${end.x - 6}` : `M${start.x} ${start.y}H${bend}V${end.y}H${end.x - 6}`;
  const at = { x: (start.x + bend) / 2, y: start.y - 7 };
  return { from: from.name, to: to.name, label, path, at, tip: { ...end, up: false } };
}

function belowEdge(from: PlacedNode, to: PlacedNode, label: string, lane: number): PlacedEdge {
  const start = { x: from.x + BOX.width / 2 + 12, y: from.y + BOX.height };
  const end = { x: to.x + BOX.width / 2 - 12, y: to.y + BOX.height };
  const path = `M${start.x} ${start.y}V${lane}H${end.x}V${end.y + 6}`;
  return {
    ...{ from: from.name, to: to.name, label, path },
    at: { x: (start.x + end.x) / 2, y: lane - 4 },
    tip: { ...end, up: true },
  };
}
