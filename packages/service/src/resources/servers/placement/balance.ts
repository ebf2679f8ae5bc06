import { type Balance, MAX_PROPOSED } from '@hortus/contract/resources/placement-records';
import { type Principal, requirePermission } from '../../../identity/principal.ts';
import { pausing } from '../../../process/pausing.ts';
import type { Queries } from '../../../storage/storage.ts';
import { type Movable, type ProposedMove, propose } from './balancing.ts';
import { ASSUMED_MEMORY, type Candidate } from './choosing.ts';
import type { Placements } from './placements.ts';

export interface BalancesDeps {
  readonly reader: Queries;
  readonly placements: Pick<Placements, 'candidates' | 'occupants'>;
  /** Lists the definitions on a server that are moved by themselves: not archived, temporary or of a tenant. */
  readonly movablesOn: (
    queries: Queries,
    accountId: string,
    serverId: string,
  ) => Promise<readonly { readonly id: string; readonly name: string; readonly instance_uid: string }[]>;
  /** Whether a migration to the server would be refused. */
  readonly isBlocked: (
    queries: Queries,
    accountId: string,
    definitionId: string,
    move: { readonly from: string; readonly to: string },
  ) => Promise<boolean>;
}

/** Reading what runs on a server costs several queries. */
const MAX_SERVERS = 200;
/** Each round proposes other moves in place of the refused ones. */
const MAX_ROUNDS = 50;

type Found = Movable & { readonly uid: string };

/** Proposes moves that even out the memory of servers; moves nothing. */
export class Balances {
  readonly #deps: BalancesDeps;
  constructor(deps: BalancesDeps) {
    this.#deps = deps;
  }

  async read(principal: Principal): Promise<Balance> {
    requirePermission(principal, 'definitions:read');
    const { accountId } = principal;
    const { reader, placements, isBlocked } = this.#deps;
    const known = await placements.candidates(reader, accountId);
    const candidates = known
      .filter(({ status, capacity }) => status === 'online' && capacity !== undefined && capacity.memory > 0)
      .slice(0, MAX_SERVERS);
    const { movables, fixed } = await this.#loads(accountId, candidates);
    const servers = candidates.map(({ id, name, capacity }) => ({ id, name, memory: capacity?.memory ?? 1 }));
    const now = propose(servers, movables, fixed, 0).taken;
    const barred = new Map<string, Set<string>>();
    const allowed = () =>
      movables.map((movable) => ({ ...movable, not: movable.not.union(barred.get(movable.id) ?? new Set<string>()) }));
    for (let round = 1; ; round++) {
      let { moves, taken } = propose(servers, allowed(), fixed, MAX_PROPOSED);
      const possible = new Map<string, string>();
      for (const { movable, from, to } of moves) {
        if (await isBlocked(reader, accountId, movable.id, { from: from.id, to: to.id }))
          barred.set(movable.id, (barred.get(movable.id) ?? new Set<string>()).add(to.id));
        else possible.set(movable.id, to.id);
      }
      if (possible.size < moves.length) {
        if (round < MAX_ROUNDS) continue;
        // Enough was tried: only moves that are known to be possible are left.
        const known = movables.map((movable) => ({ ...movable, not: allBut(servers, possible.get(movable.id)) }));
        ({ moves, taken } = propose(servers, known, fixed, MAX_PROPOSED));
      }
      const uids = new Map(movables.map(({ id, uid }) => [id, uid]));
      return {
        servers: servers
          .map(({ id, name, memory }) => ({
            ...{ server_id: id, name, memory_bytes: memory },
            ...{ taken_bytes: now.get(id) ?? 0, taken_bytes_after: taken.get(id) ?? 0 },
          }))
          .sort((a, b) => a.name.localeCompare(b.name) || (a.server_id < b.server_id ? -1 : 1)),
        moves: moves.map((move) => moveRecord(move, uids.get(move.movable.id) ?? '')),
      };
    }
  }

  async #loads(accountId: string, candidates: readonly Candidate[]) {
    const { reader, placements, movablesOn } = this.#deps;
    const pause = pausing();
    const movables: Found[] = [];
    const fixed = new Map<string, number>();
    // The secrets of a definition would go to the person who registered such a server, so nothing is moved there.
    const untrusted = candidates.filter(({ trusted }) => !trusted).map(({ id }) => id);
    for (const { id: serverId, arch, fingerprint } of candidates) {
      await pause();
      const memory = new Map<string, number>();
      for (const occupant of await placements.occupants(reader, accountId, serverId))
        memory.set(occupant.id, Math.max(memory.get(occupant.id) ?? 0, occupant.memory));
      const own = fingerprint?.arch ?? arch;
      const others = candidates
        .filter((candidate) => (candidate.fingerprint?.arch ?? candidate.arch) !== own)
        .map(({ id }) => id);
      for (const { id, name, instance_uid } of await movablesOn(reader, accountId, serverId)) {
        const taken = memory.get(id) || ASSUMED_MEMORY;
        memory.delete(id);
        movables.push({
          id,
          name,
          uid: instance_uid,
          serverId,
          memory: taken,
          not: new Set([...others, ...untrusted]),
        });
      }
      const rest = [...memory.values()].reduce((sum, number) => sum + (number || ASSUMED_MEMORY), 0);
      fixed.set(serverId, rest);
    }
    return { movables, fixed };
  }
}

const allBut = (servers: readonly { readonly id: string }[], text: string | undefined): ReadonlySet<string> =>
  new Set(servers.flatMap(({ id }) => (id === text ? [] : id)));

const moveRecord = (
  { movable, from, to, fromPercent, toPercent }: ProposedMove,
  uid: string,
): Balance['moves'][number] => ({
  definition_id: movable.id,
  name: movable.name,
  from_server_id: from.id,
  from_server_name: from.name,
  to_server_id: to.id,
  to_server_name: to.name,
  memory_bytes: movable.memory,
  reason: `${from.name} goes from ${fromPercent[0]}% to ${fromPercent[1]}% of its memory, ${to.name} from ${toPercent[0]}% to ${toPercent[1]}%.`,
  command: `hortus definitions migrate ${uid} --server ${to.id}`,
});
