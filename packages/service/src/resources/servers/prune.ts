import { builtIn } from '@hortus/contract/actions/built-in-actions';
import type { Execution } from '@hortus/contract/resources/actions';
import type { PruneOrder } from '@hortus/contract/resources/servers';
import { actorOf, type Principal } from '../../identity/principal.ts';
import { notFound } from '../../problem.ts';
import type { Queries, Tx } from '../../storage/storage.ts';
import { findServer } from './store.ts';

/** An order of an action on a server and none of its instances. */
export interface ServerOrder {
  readonly server: { readonly id: string; readonly account_id: string };
  readonly slug: typeof builtIn.prune | typeof builtIn.node;
  readonly params: Readonly<Record<string, unknown>>;
  readonly actor: string | null;
}

export interface PrunesDeps {
  /** Names of the instances on a server that exist or are being deployed. */
  readonly livingOn: (queries: Queries, serverId: string) => Promise<readonly string[]>;
  readonly order: (tx: Tx, order: ServerOrder) => Promise<Execution>;
}

/** Orders the daemon of a server to remove, or only list, leftovers of instances that no longer exist. */
export class Prunes {
  readonly #deps: PrunesDeps;
  constructor(deps: PrunesDeps) {
    this.#deps = deps;
  }

  /**
   * The daemon keeps whatever either side knows: it may have lost its journal, and the service may have been restored
   * from a backup.
   */
  async prune(tx: Tx, principal: Principal, id: string, body: PruneOrder): Promise<Execution> {
    const server = await findServer(tx, principal.accountId, id);
    if (!server) throw notFound('server');
    const { dry_run = true, volumes = [] } = body;
    const living = await this.#deps.livingOn(tx, id);
    const params = { dry_run, volumes, living: [...living] };
    return this.#deps.order(tx, { server, slug: builtIn.prune, params, actor: actorOf(principal) });
  }
}
