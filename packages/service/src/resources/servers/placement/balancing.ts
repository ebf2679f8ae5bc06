/** A server, with what it has and what is taken. */
export interface Load {
  readonly id: string;
  readonly name: string;
  /** Memory in bytes, above 0. */
  readonly memory: number;
}

/** A definition that may be moved. */
export interface Movable {
  readonly id: string;
  readonly name: string;
  readonly serverId: string;
  /** Memory that it takes, in bytes. */
  readonly memory: number;
  /** Ids of servers that it may not be moved to. */
  readonly not: ReadonlySet<string>;
}

export interface ProposedMove {
  readonly movable: Movable;
  readonly from: Load;
  readonly to: Load;
  /** Shares of the memory that are taken, before and after, in percent. */
  readonly fromPercent: readonly [before: number, after: number];
  readonly toPercent: readonly [before: number, after: number];
}

export interface Proposal {
  readonly moves: readonly ProposedMove[];
  /** Bytes taken after the moves, by server. */
  readonly taken: ReadonlyMap<string, number>;
}

/** A move costs a copy of the data and a short stop, so it must make the fuller server this much emptier. */
const MIN_GAIN = 0.05;

/**
 * Proposes moves from the fullest server to emptier ones, until no move lowers the highest share noticeably. Each
 * definition moves at most once. `fixed` are bytes taken by what cannot be moved.
 */
export function propose(
  servers: readonly Load[],
  movables: readonly Movable[],
  fixed: ReadonlyMap<string, number>,
  max: number,
): Proposal {
  const taken = new Map(servers.map(({ id }) => [id, fixed.get(id) ?? 0]));
  for (const { serverId, memory } of movables)
    if (taken.has(serverId)) taken.set(serverId, (taken.get(serverId) ?? 0) + memory);
  const shareOf = ({ id, memory }: Load, more = 0) => ((taken.get(id) ?? 0) + more) / memory;
  const left = new Set(movables);
  const moves: ProposedMove[] = [];
  while (moves.length < max) {
    const best = bestMove(servers, [...left], shareOf);
    if (!best) break;
    const { movable, from, to } = best;
    const before = [shareOf(from), shareOf(to)] as const;
    taken.set(from.id, (taken.get(from.id) ?? 0) - movable.memory);
    taken.set(to.id, (taken.get(to.id) ?? 0) + movable.memory);
    left.delete(movable);
    moves.push({
      ...{ movable, from, to },
      fromPercent: [percent(before[0]), percent(shareOf(from))],
      toPercent: [percent(before[1]), percent(shareOf(to))],
    });
  }
  return { moves, taken };
}

const percent = (share: number): number => Math.round(share * 100);

type Share = (load: Load, more?: number) => number;

/** Finds the move from the fullest server that leaves the fuller of the two as empty as possible. */
function bestMove(servers: readonly Load[], movables: readonly Movable[], shareOf: Share) {
  const byShare = servers.toSorted((a, b) => shareOf(b) - shareOf(a) || (a.id < b.id ? -1 : 1));
  const [from, ...others] = byShare;
  if (!from) return undefined;
  let best: { movable: Movable; from: Load; to: Load; worst: number } | undefined;
  for (const movable of movables.filter(({ serverId }) => serverId === from.id).sort((a, b) => (a.id < b.id ? -1 : 1)))
    for (const to of others.toReversed()) {
      if (movable.not.has(to.id)) continue;
      const worst = Math.max(shareOf(from, -movable.memory), shareOf(to, movable.memory));
      if (shareOf(from) - worst >= MIN_GAIN && (!best || worst < best.worst)) best = { movable, from, to, worst };
    }
  return best;
}
