import type { Queries, Tx } from '../../storage/storage.ts';
import { type Footprints, requireRoom, reservationOf } from '../capacity/public.ts';
import type { Pinned } from '../definitions/public.ts';
import type { ManifestsOfDeployments } from './needs.ts';
import { unfinishedOn } from './store.ts';

export interface ReservationsDeps {
  readonly manifests: Pick<ManifestsOfDeployments, 'resolve'>;
  readonly footprints: Pick<Footprints, 'of'>;
  /** Lists the definitions deployed on a server with their revisions. */
  readonly livingOn: (
    queries: Queries,
    serverId: string,
  ) => Promise<readonly { readonly definition_id: string; readonly revision: number | null }[]>;
  /** Locks the server until the transaction ends, so that memory is not reserved twice. */
  readonly holdServer: (tx: Tx, accountId: string, id: string) => Promise<unknown>;
}

/** Checks the memory reserved on a server. */
export class Reservations {
  readonly #deps: ReservationsDeps;
  constructor(deps: ReservationsDeps) {
    this.#deps = deps;
  }

  async requireRoom(tx: Tx, { definition, revision }: Pinned): Promise<void> {
    const { account_id: accountId, server_id: serverId, id } = definition;
    const { manifest } = await this.#deps.manifests.resolve(tx, accountId, id, revision.number);
    const asked = reservationOf(manifest);
    // Redeploying within the memory already reserved is always allowed, even if the server is overcommitted.
    const more = asked.memory > (await this.#ownOn(tx, definition));
    const reservation = more ? asked : { ...asked, memory: 0 };
    if (more) await this.#deps.holdServer(tx, accountId, serverId);
    const others = () => this.#ofOthers(tx, definition);
    await requireRoom(tx, { accountId, serverId, reservation, others });
  }

  async #ownOn(tx: Tx, { id, account_id, server_id }: Pinned['definition']): Promise<number> {
    const own = (await this.#deps.livingOn(tx, server_id)).find(({ definition_id }) => definition_id === id);
    return own?.revision ? await this.#memoryOf(tx, account_id, id, own.revision) : 0;
  }

  /** Sums the reservations of all other deployed definitions, stopped ones included, and of pending deployments. */
  async #ofOthers(tx: Tx, own: Pinned['definition']): Promise<number> {
    const { server_id, account_id } = own;
    const max = new Map<string, number>();
    for (const other of [...(await this.#deps.livingOn(tx, server_id)), ...(await unfinishedOn(tx, server_id))]) {
      if (other.definition_id === own.id || other.revision === null) continue;
      const memory = await this.#memoryOf(tx, account_id, other.definition_id, other.revision);
      max.set(other.definition_id, Math.max(max.get(other.definition_id) ?? 0, memory));
    }
    return [...max.values()].reduce((sum, memory) => sum + memory, 0);
  }

  async #memoryOf(tx: Tx, accountId: string, definitionId: string, revision: number): Promise<number> {
    return (await this.#deps.footprints.of(tx, accountId, definitionId, revision)).memory;
  }
}
