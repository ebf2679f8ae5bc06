import type {
  Evacuation,
  EvacuationAnswer,
  EvacuationDetail,
  EvacuationOrder,
  EvacuationPlan,
} from '@hortus/contract/resources/evacuations';
import { actorOf, type Principal, requirePermission } from '../../identity/principal.ts';
import type { JobKind } from '../../jobs/job.ts';
import { conflict, notFound } from '../../problem.ts';
import { newId } from '../../records/ids.ts';
import { begin, transition } from '../../state/transition.ts';
import type { Page, PageRequest, Pages } from '../../storage/page.ts';
import type { Queries, Storage, Tx } from '../../storage/storage.ts';
import { type EvacuationJobDeps, evacuationJob, wakeEvacuation } from './job.ts';
import { auditEvacuation, evacuationLifecycle, evacuationMoveLifecycle } from './lifecycle.ts';
import { planEvacuation, unplanned } from './plan.ts';
import { evacuationRecord, moveRecord } from './record.ts';
import {
  countMoves,
  type EvacuationRow,
  evacuationList,
  findEvacuation,
  lockEvacuation,
  movesOf,
  openEvacuationOf,
} from './store.ts';
import { unitsOn } from './units.ts';

export interface EvacuationsDeps extends EvacuationJobDeps {
  readonly storage: Storage;
  readonly pages: Pages;
}

/** Empties servers; `job.ts` carries it out. */
export class Evacuations {
  readonly #deps: EvacuationsDeps;
  constructor(deps: EvacuationsDeps) {
    this.#deps = deps;
  }

  /** Makes the plan, before the transaction: it reads everything on the server. */
  plan(principal: Principal, serverId: string, order: EvacuationOrder): Promise<EvacuationPlan> {
    requirePermission(principal, 'definitions:write');
    const { storage, resources } = this.#deps;
    const { accountId } = principal;
    return planEvacuation(storage.reader, resources, { accountId, serverId, placement: order.placement });
  }

  /** Drains the server and begins with its moves. */
  async begin(tx: Tx, principal: Principal, plan: EvacuationPlan, order: EvacuationOrder): Promise<EvacuationAnswer> {
    const { server_id } = plan;
    const actor = actorOf(principal);
    await this.#deps.resources.drain(tx, principal, server_id);
    const open = await openEvacuationOf(tx, server_id);
    if (open)
      throw conflict(
        'id',
        'evacuating',
        `evacuation ${open.id} of this server is ${open.status}; wait, or cancel it.`,
        {
          evacuation_id: open.id,
        },
      );
    const times = { created_at: tx.now, updated_at: tx.now, finished_at: null };
    const row = await begin(
      tx,
      evacuationLifecycle,
      {
        id: newId('evacuation'),
        account_id: principal.accountId,
        server_id,
        at_once: order.at_once ?? 2,
        placement: order.placement ? JSON.stringify(order.placement) : null,
        created_by: actor,
        ...times,
      },
      'begin',
      actor,
    );
    // From here on nothing more comes to the server.
    const units = await unitsOn(tx, this.#deps.resources, principal.accountId, server_id);
    const moves = [...plan.moves, ...unplanned(plan, units)];
    for (const [index, { definition_id, tenant_id, name, to_server_id, reason }] of moves.entries())
      await begin(
        tx,
        evacuationMoveLifecycle,
        {
          id: newId('evacuationMove'),
          evacuation_id: row.id,
          account_id: principal.accountId,
          number: index + 1,
          ...{ definition_id, tenant_id, name, to_server_id, reason },
          migration_id: null,
          error: null,
          downtime_ms: null,
          ...times,
        },
        'plan',
        actor,
      );
    await auditEvacuation(tx, row, actor);
    await wakeEvacuation(tx, row.id);
    return { plan, evacuation: await this.#detail(tx, row) };
  }

  async list(principal: Principal, serverId: string, request: PageRequest): Promise<Page<Evacuation>> {
    const { storage, pages, resources } = this.#deps;
    const { accountId } = principal;
    const { reader } = storage;
    if (!(await resources.server(reader, accountId, serverId))) throw notFound('server');
    const page = await pages.read(request, evacuationList(reader, { accountId, serverId }));
    const counts = await countMoves(
      reader,
      page.data.map(({ id }) => id),
    );
    return { ...page, data: page.data.map((row) => evacuationRecord(row, counts)) };
  }

  async read({ accountId }: Principal, id: string): Promise<EvacuationDetail> {
    const { reader } = this.#deps.storage;
    const row = await findEvacuation(reader, accountId, id);
    if (!row) throw notFound('evacuation');
    return this.#detail(reader, row);
  }

  /** Begins no further move. Idempotent. */
  async cancel(tx: Tx, principal: Principal, id: string): Promise<EvacuationDetail> {
    const row = await lockEvacuation(tx, principal.accountId, id);
    if (!row) throw notFound('evacuation');
    return this.#detail(tx, row.status === 'running' ? await this.#cancel(tx, row, actorOf(principal)) : row);
  }

  /** Cancels the evacuation of a server that is put back into use. */
  async cancelOf(tx: Tx, principal: Principal, serverId: string): Promise<void> {
    const row = await openEvacuationOf(tx, serverId);
    if (row?.status === 'running') await this.#cancel(tx, row, actorOf(principal));
  }

  job(): JobKind {
    const { storage, resources } = this.#deps;
    return evacuationJob({ storage, resources });
  }

  async #cancel(tx: Tx, row: EvacuationRow, actor: string): Promise<EvacuationRow> {
    const cancelled = await transition(tx, evacuationLifecycle, row, 'cancel', { actor });
    for (const move of await movesOf(tx, row.id))
      if (move.status === 'pending')
        await transition(tx, evacuationMoveLifecycle, move, 'cancel', { actor, set: { finished_at: tx.now } });
    await auditEvacuation(tx, cancelled, actor);
    await wakeEvacuation(tx, row.id);
    return cancelled;
  }

  async #detail(queries: Queries, row: EvacuationRow): Promise<EvacuationDetail> {
    const moves = await movesOf(queries, row.id);
    const counts = moves.map(({ status }) => ({ evacuation_id: row.id, status, number: 1 }));
    return { ...evacuationRecord(row, counts), moves: moves.map(moveRecord) };
  }
}
