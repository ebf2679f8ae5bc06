import type { PlacementLack } from '@hortus/contract/resources/placement-records';
import type { Manifest } from '@hortus/contract/template/manifest';
import { conflict, notFound, Problem } from '../../../problem.ts';
import { pausing } from '../../../process/pausing.ts';
import type { Queries, Tx } from '../../../storage/storage.ts';
import { fingerprintOf, labelsOf, platformOf } from '../record.ts';
import { lockServer, type ServerRow } from '../store.ts';
import { type Candidate, lackingOf, type Needs, type Occupancy } from './choosing.ts';
import { type CandidateRow, candidatesAfter } from './store.ts';
import { Survey } from './survey.ts';

/** The last report of a server. */
interface ReportedCapacity {
  readonly memory_used: number;
  readonly memory_free: number;
  readonly cpu_cores: number;
  readonly disk_used: number;
  readonly disk_free: number;
}

type Footprint = Pick<Needs, 'memory' | 'ports'>;

/** A revision on a server. */
interface Occupant extends Footprint {
  /** Id of its definition. */
  readonly id: string;
}

export interface PlacementsDeps {
  readonly reader: Queries;
  readonly capacities: (
    queries: Queries,
    serverIds: readonly string[],
  ) => Promise<ReadonlyMap<string, ReportedCapacity>>;
  /** Counts the definitions that are not archived, by server. */
  readonly countDefinitions: (queries: Queries, serverIds: readonly string[]) => Promise<ReadonlyMap<string, number>>;
  /** Lists the revisions that run on a server, are on their way there, or may be deployed there next. */
  readonly occupants: (
    queries: Queries,
    serverId: string,
  ) => Promise<readonly { readonly definition_id: string; readonly revision: number | null }[]>;
  readonly footprint: (
    queries: Queries,
    accountId: string,
    definitionId: string,
    revision: number,
  ) => Promise<Footprint>;
  /** Finds a host of these routes that another definition uses on the server, except these. */
  readonly clash: (
    queries: Queries,
    serverId: string,
    routes: Manifest['routes'],
    except: readonly string[],
  ) => Promise<{ readonly host: string } | undefined>;
}

/** The chosen server no longer fits. The caller chooses again; otherwise the error tells the user to. */
export class PlaceTaken extends Problem {
  constructor(reasons: readonly PlacementLack[]) {
    const { code, message, details } = conflict(
      'server_id',
      'place_taken',
      'other requests took the room on the chosen servers; try again.',
      { lacking: reasons },
    );
    super(code, message, details);
  }
}

const PAGE = 500;

/** Chooses servers for definitions. */
export class Placements {
  readonly #deps: PlacementsDeps;
  constructor(deps: PlacementsDeps) {
    this.#deps = deps;
  }

  /** Reads the servers of an account for choices. */
  async survey(queries: Queries, accountId: string): Promise<Survey> {
    const known = new Map<string, readonly Occupant[]>();
    return new Survey(await this.candidates(queries, accountId), async (serverId, needs) => {
      const occupants = known.get(serverId) ?? (await this.occupants(queries, accountId, serverId));
      known.set(serverId, occupants);
      return this.#occupancy(queries, occupants, serverId, needs);
    });
  }

  /** Pauses between pages, because an account may have thousands of servers. */
  async candidates(queries: Queries, accountId: string): Promise<Candidate[]> {
    const candidates: Candidate[] = [];
    const pause = pausing();
    for (let after = ''; ; ) {
      const rows = await candidatesAfter(queries, accountId, after, PAGE);
      candidates.push(...(await this.#candidates(queries, rows)));
      if (rows.length < PAGE) return candidates;
      after = rows.at(-1)?.id ?? '';
      if (queries === this.#deps.reader) await pause();
    }
  }

  /** Holds the server and throws `PlaceTaken` unless it still fits: concurrent choices must not share the last room. */
  async require(tx: Tx, accountId: string, serverId: string, needs: Needs): Promise<void> {
    const row = await lockServer(tx, accountId, serverId);
    if (!row) throw notFound('server');
    const [candidate] = await this.#candidates(tx, [row]);
    if (!candidate) throw notFound('server');
    const taken = await this.#occupancy(tx, await this.occupants(tx, accountId, serverId), serverId, needs);
    const lacking = lackingOf(candidate, needs, taken);
    if (lacking.length > 0) throw new PlaceTaken(lacking.map(({ reason }) => reason));
  }

  /** Lists the revisions on a server with what each takes; a definition may have several. */
  async occupants(queries: Queries, accountId: string, serverId: string): Promise<Occupant[]> {
    const found: Occupant[] = [];
    for (const { definition_id: id, revision } of await this.#deps.occupants(queries, serverId))
      if (revision !== null) found.push({ id, ...(await this.#footprint(queries, accountId, id, revision)) });
    return found;
  }

  /** Sums what is taken on a server. Several revisions of a definition count as the largest. */
  async #occupancy(
    queries: Queries,
    occupants: readonly Occupant[],
    serverId: string,
    { manifest, moved = [] }: Needs,
  ): Promise<Occupancy> {
    const memory = new Map<string, number>();
    const ports = new Set<string>();
    for (const occupant of occupants) {
      if (moved.includes(occupant.id)) continue;
      memory.set(occupant.id, Math.max(memory.get(occupant.id) ?? 0, occupant.memory));
      for (const port of occupant.ports) ports.add(port);
    }
    const clash = await this.#deps.clash(queries, serverId, manifest.routes, moved);
    const sum = [...memory.values()].reduce((total, number) => total + number, 0);
    return { memory: sum, ports, hosts: clash ? [clash.host] : [] };
  }

  /** A revision that cannot be resolved cannot be deployed either, so it takes nothing. */
  async #footprint(queries: Queries, accountId: string, id: string, revision: number): Promise<Footprint> {
    try {
      return await this.#deps.footprint(queries, accountId, id, revision);
    } catch (error) {
      if (error instanceof Problem) return { memory: 0, ports: [] };
      throw error;
    }
  }

  async #candidates(queries: Queries, rows: readonly CandidateRow[]): Promise<Candidate[]> {
    const ids = rows.map(({ id }) => id);
    const capacities = await this.#deps.capacities(queries, ids);
    const definitions = await this.#deps.countDefinitions(queries, ids);
    return rows.map((row) => candidateOf(row, capacities.get(row.id), definitions.get(row.id) ?? 0));
  }
}

function candidateOf(
  row: Pick<ServerRow, keyof CandidateRow>,
  capacity: ReportedCapacity | undefined,
  definitions: number,
): Candidate {
  const { disk_used = 0, disk_free = 0, memory_used = 0, memory_free = 0 } = capacity ?? {};
  return {
    id: row.id,
    name: row.name,
    status: row.status,
    labels: labelsOf(row),
    arch: platformOf(row).arch,
    fingerprint: fingerprintOf(row),
    trusted: row.key_trusted === 1,
    capacity: capacity && {
      memory: memory_used + memory_free,
      memoryUsed: memory_used,
      cores: capacity.cpu_cores,
      diskUsedPercent: Math.floor((100 * disk_used) / (disk_used + disk_free + 1)),
    },
    definitions,
  };
}
