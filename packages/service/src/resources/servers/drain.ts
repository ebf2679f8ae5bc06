import type { DrainedServer } from '@hortus/contract/resources/server-records';
import { actorOf, type Principal } from '../../identity/principal.ts';
import { append } from '../../outbox/append.ts';
import { notFound } from '../../problem.ts';
import { transition } from '../../state/transition.ts';
import type { Queries, Tx } from '../../storage/storage.ts';
import { serverLifecycle } from './lifecycle.ts';
import { type NewerDaemon, serverRecord } from './record.ts';
import { lockServer, type ServerRow } from './store.ts';

export interface DrainsDeps {
  /** Cancels the evacuation of a server, if any. */
  readonly stopEvacuation: (tx: Tx, principal: Principal, serverId: string) => Promise<void>;
  readonly newer: NewerDaemon;
  /** Lists the unreleased instances on a server, oldest first. */
  readonly instancesOn: (queries: Queries, serverId: string) => Promise<DrainedServer['instances']>;
}

/** Takes servers out of use, so that their instances can be moved, and back. Idempotent. */
export class Drains {
  readonly #deps: DrainsDeps;
  constructor(deps: DrainsDeps) {
    this.#deps = deps;
  }

  /** Stops new deployments to a server. Running instances continue, and earlier orders are carried out. */
  async drain(tx: Tx, principal: Principal, id: string): Promise<DrainedServer> {
    const row = await this.#lock(tx, principal, id);
    if (row.status === 'draining') return this.#response(tx, row);
    const drained = await transition(tx, serverLifecycle, row, 'drain', { actor: actorOf(principal) });
    await audit(tx, principal, 'audit.server_drained', drained);
    return this.#response(tx, drained);
  }

  async undrain(tx: Tx, principal: Principal, id: string): Promise<DrainedServer> {
    const row = await this.#lock(tx, principal, id);
    if (row.status === 'online' || row.status === 'offline' || row.status === 'pending') return this.#response(tx, row);
    await this.#deps.stopEvacuation(tx, principal, id);
    const actor = actorOf(principal);
    const back = await transition(tx, serverLifecycle, row, 'undrain', { actor });
    // The daemon stayed connected, so the server is online again at once.
    const isThere = row.connected_replica !== null || row.polled_at !== null;
    const now = isThere ? await transition(tx, serverLifecycle, back, 'connect', { actor }) : back;
    await audit(tx, principal, 'audit.server_undrained', now);
    return this.#response(tx, now);
  }

  async #lock(tx: Tx, principal: Principal, id: string): Promise<ServerRow> {
    const row = await lockServer(tx, principal.accountId, id);
    if (!row) throw notFound('server');
    return row;
  }

  async #response(tx: Tx, row: ServerRow): Promise<DrainedServer> {
    return { ...serverRecord(row, this.#deps.newer), instances: await this.#deps.instancesOn(tx, row.id) };
  }
}

const audit = (tx: Tx, principal: Principal, type: `audit.${string}`, row: ServerRow) =>
  append(tx, {
    type,
    accountId: row.account_id,
    resourceType: 'server',
    resourceId: row.id,
    actor: actorOf(principal),
    data: serverLifecycle.eventData(row),
  });
