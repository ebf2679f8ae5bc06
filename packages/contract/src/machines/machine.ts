import type { EventName } from '../events.ts';

/**
 * State machines are data: the service obeys this table, the diagrams are drawn from it and the property tests walk it.
 * No other code decides which status may follow which.
 */
export interface Move<State extends string> {
  readonly move: string;
  /** The states it may start from; 'none' means that the record does not exist yet, 'any' means every state. */
  readonly from: readonly State[] | 'none' | 'any';
  /** The resulting state; 'same' keeps the current one. */
  readonly to: State | 'same';
  /** Name of a condition. Rows of one move are tried in order; the first whose guard holds is taken. */
  readonly guard?: string;
  readonly event?: EventName;
}

export interface Machine<State extends string = string, Name extends string = string> {
  readonly name: string;
  readonly states: readonly State[];
  /** States without an outgoing move. */
  readonly final: readonly State[];
  readonly moves: readonly (Move<State> & { readonly move: Name })[];
}

export type StateOf<M> = M extends Machine<infer State> ? State : never;
export type MoveOf<M> = M extends Machine<string, infer Name> ? Name : never;

export function machine<const State extends string, const Name extends string>(table: {
  name: string;
  states: readonly State[];
  moves: readonly (Move<NoInfer<State>> & { readonly move: Name })[];
}): Machine<State, Name> {
  const left = (state: State) => table.moves.some((m) => m.to !== 'same' && m.to !== state && starts(m, state));
  return { ...table, final: table.states.filter((state) => !left(state)) };
}

const starts = <State extends string>(m: Move<State>, state: State | null): boolean =>
  state === null ? m.from === 'none' : m.from === 'any' || (m.from !== 'none' && m.from.includes(state));

export interface Step<State extends string> {
  readonly to: State;
  readonly event: EventName | undefined;
}

/**
 * Returns the result of a move, or undefined if the table does not allow it. `null` means that the record does not
 * exist yet.
 */
export function step<State extends string>(
  m: Machine<State>,
  from: State | null,
  move: string,
  holds: (guard: string) => boolean = () => true,
): Step<State> | undefined {
  const row = m.moves.find((r) => r.move === move && starts(r, from) && (r.guard === undefined || holds(r.guard)));
  if (!row) return undefined;
  if (row.to !== 'same') return { to: row.to, event: row.event };
  return from === null ? undefined : { to: from, event: row.event };
}
