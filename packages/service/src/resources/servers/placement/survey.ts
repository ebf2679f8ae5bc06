import { type ConsideredServer, MAX_CONSIDERED, type Placement } from '@hortus/contract/resources/placement-records';
import { conflict, type Problem } from '../../../problem.ts';
import { byRoom, type Candidate, freeMemory, lackingOf, type Needs, type Occupancy, type Ranked } from './choosing.ts';

/** Reads what is taken on a server, with the hosts of these needs that are in use there. */
export type ReadOccupancy = (serverId: string, needs: Needs) => Promise<Occupancy>;

export interface Choice {
  /** Undefined if no server fits. */
  readonly chosen: Candidate | undefined;
  /** Best first, then those that do not fit; bounded. */
  readonly considered: readonly ConsideredServer[];
  readonly total: number;
}

/** Reading what runs on a server costs several queries, so only the most promising are compared exactly at a time. */
const AT_A_TIME = 10;
/** A request must end: beyond this, another server is not tried. */
const MAX_COMPARED = 100;

/** The servers of an account at one time, for one or several choices. */
export class Survey {
  readonly #candidates: readonly Candidate[];
  readonly #occupancy: ReadOccupancy;
  /** What earlier choices of this survey take. */
  readonly #planned = new Map<string, { memory: number; ports: Set<string>; definitions: number }>();

  constructor(candidates: readonly Candidate[], occupancy: ReadOccupancy) {
    this.#candidates = candidates;
    this.#occupancy = occupancy;
  }

  /** Chooses by what is known of the servers themselves. */
  likely(needs: Needs): Choice {
    const judged = this.#judged(needs);
    const [best] = judged.fitting;
    return this.#choice(best?.candidate, judged.fitting.map(fitting), judged.others);
  }

  /** Chooses by what runs there too. */
  async choose(needs: Needs): Promise<Choice> {
    const { fitting: likely, others } = this.#judged(needs);
    const full: ConsideredServer[] = [];
    for (let from = 0; from < Math.min(likely.length, MAX_COMPARED); from += AT_A_TIME) {
      const compared: Ranked[] = [];
      for (const { candidate } of likely.slice(from, from + AT_A_TIME)) {
        const taken = this.#withPlanned(candidate.id, await this.#occupancy(candidate.id, needs));
        const lacking = lackingOf(candidate, needs, taken);
        const free = freeMemory(candidate, taken);
        if (lacking.length === 0) compared.push({ candidate, free });
        else full.push(considered(candidate, free, lacking));
      }
      const [best, ...rest] = compared.sort(byRoom);
      if (!best) continue;
      const later = likely.slice(from + AT_A_TIME);
      return this.#choice(best.candidate, [best, ...rest, ...later].map(fitting), [...full, ...others]);
    }
    return this.#choice(undefined, [], [...full, ...others]);
  }

  /** Counts a chosen definition in later choices. */
  take(serverId: string, { memory, ports }: Pick<Needs, 'memory' | 'ports'>): void {
    const planned = this.#planned.get(serverId) ?? { memory: 0, ports: new Set<string>(), definitions: 0 };
    planned.memory += memory;
    planned.definitions += 1;
    for (const port of ports) planned.ports.add(port);
    this.#planned.set(serverId, planned);
  }

  #judged(needs: Needs): { fitting: Ranked[]; others: ConsideredServer[] } {
    const fitting: Ranked[] = [];
    const others: ConsideredServer[] = [];
    for (const known of this.#candidates) {
      const candidate = { ...known, definitions: known.definitions + (this.#planned.get(known.id)?.definitions ?? 0) };
      const lacking = lackingOf(candidate, needs);
      const free = freeMemory(candidate);
      if (lacking.length === 0) fitting.push({ candidate, free });
      else if (others.length < MAX_CONSIDERED) others.push(considered(candidate, free, lacking));
    }
    return { fitting: fitting.sort(byRoom), others };
  }

  #withPlanned(serverId: string, taken: Occupancy): Occupancy {
    const planned = this.#planned.get(serverId);
    if (!planned) return taken;
    return { ...taken, memory: taken.memory + planned.memory, ports: taken.ports.union(planned.ports) };
  }

  #choice(
    chosen: Candidate | undefined,
    fits: readonly ConsideredServer[],
    others: readonly ConsideredServer[],
  ): Choice {
    return { chosen, considered: [...fits, ...others].slice(0, MAX_CONSIDERED), total: this.#candidates.length };
  }
}

const considered = (
  { id, name }: Candidate,
  free: number | null,
  lacking: ConsideredServer['lacking'],
): ConsideredServer => ({ server_id: id, name, fits: lacking.length === 0, free_memory_bytes: free, lacking });

const fitting = ({ candidate, free }: Ranked): ConsideredServer => considered(candidate, free, []);

const MIB = 2 ** 20;

interface Naming {
  /** Whether the caller may read servers; if not, only the chosen one is named. */
  readonly mayName?: boolean;
}

/** Explains a choice. */
export function placementOf(
  { chosen, considered, total }: Choice & { readonly chosen: Candidate },
  { mayName = true }: Naming = {},
): Placement {
  const fits = considered.filter((item) => item.fits);
  const free = fits[0]?.free_memory_bytes ?? null;
  const room = free === null ? 'its capacity is not known yet' : `${Math.floor(free / MIB)} MiB of its memory are free`;
  const others = fits.length === 1 ? 'the only server that fits' : 'the server with the most room';
  return {
    server_id: chosen.id,
    reason: `${chosen.name} is ${others}: ${room}, and it has ${chosen.definitions} definitions.`,
    considered: considered.filter(({ server_id }) => mayName || server_id === chosen.id),
    considered_total: total,
  };
}

/** Servers named in the message; the details name more. */
const MAX_NAMED = 5;

/** The refusal if no server fits; says for each what is missing. */
export function noServerFits(
  { considered, total }: Choice,
  { field = 'server_id', mayName = true }: Naming & { readonly field?: string } = {},
): Problem {
  if (total === 0) return conflict(field, 'no_server', 'there is no server to choose; register one first.');
  if (!mayName)
    return conflict(
      field,
      'no_server',
      `none of ${total} servers fits; with servers:read each is named with its reason.`,
      {
        total,
      },
    );
  const named = considered
    .slice(0, MAX_NAMED)
    .map(({ name, lacking }) => `${name}: ${lacking.map(({ message }) => message).join(', ')}`);
  const more = total > named.length ? `; and ${total - named.length} more` : '';
  return conflict(field, 'no_server', `none of ${total} servers fits: ${named.join('; ')}${more}.`, {
    servers: considered,
    total,
  });
}
