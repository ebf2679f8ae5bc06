import type { GardenPlan, GardenRun, GardenRunDetail } from '@hortus/contract/resources/garden-records';
import type { GardenSource } from '@hortus/contract/resources/garden-source-records';
import type { Garden, GardenApply, GardenFiles } from '@hortus/contract/resources/gardens';
import { digestOf, partsOf } from '@hortus/garden/digest';
import type { ReferencePlace } from '@hortus/garden/unresolved-references';
import { actorOf, type Principal, requirePermission } from '../../identity/principal.ts';
import { append } from '../../outbox/append.ts';
import { conflict, notFound, Problem } from '../../problem.ts';
import { pausing } from '../../process/pausing.ts';
import { newId } from '../../records/ids.ts';
import { begin, transition } from '../../state/transition.ts';
import type { Page, PageRequest, Pages } from '../../storage/page.ts';
import type { Queries, Storage, Tx } from '../../storage/storage.ts';
import type { Vault } from '../../vault/vault.ts';
import { sealingContext, wakeRun } from './apply-job.ts';
import { gardenRunLifecycle } from './lifecycle.ts';
import { type GardenPlanning, type Planned, permissionsOf, seenBy } from './planning.ts';
import { changeRecord, gardenRecord, runRecord } from './record.ts';
import {
  applyingRun,
  changesOf,
  countDone,
  countMade,
  deleteGarden,
  findGarden,
  findRun,
  type GardenRow,
  type GardenRunRow,
  gardenList,
  holdGarden,
  insertChanges,
  isFollowed,
  lockGarden,
  lockRun,
  newestRuns,
  type RunFilter,
  runList,
  setCancelled,
} from './store.ts';

export interface GardensDeps {
  readonly storage: Storage;
  readonly pages: Pages;
  readonly vault: Vault;
  readonly planning: GardenPlanning;
  /** Describes the repositories of gardens, by the id of the garden. */
  readonly sources: (queries: Queries, gardenIds: readonly string[]) => Promise<ReadonlyMap<string, GardenSource>>;
}

/** A validated order, before its transaction. */
export interface PreparedRun {
  readonly planned: Planned;
  readonly filesHash: string;
  readonly prune: boolean;
}

/** Plans gardens, starts runs and reads them; `apply-job.ts` carries them out. */
export class Gardens {
  readonly #deps: GardensDeps;
  constructor(deps: GardensDeps) {
    this.#deps = deps;
  }

  async plan(principal: Principal, body: GardenFiles): Promise<GardenPlan> {
    return (await this.#deps.planning.plan(principal, body)).plan;
  }

  /** Plans again, and refuses what cannot be applied or what the caller may not do directly. */
  async prepare(
    principal: Principal,
    { plan_hash, ...files }: GardenApply,
    kept: readonly ReferencePlace[] = [],
  ): Promise<PreparedRun> {
    const { storage, vault, planning } = this.#deps;
    const planned = await planning.plan(principal, files, kept);
    const { plan, changes } = planned;
    for (const permission of new Set(changes.flatMap(permissionsOf))) requirePermission(principal, permission);
    const [problem] = plan.problems;
    if (problem)
      throw new Problem('VALIDATION_ERROR', `garden.${problem.field}: ${problem.message}`, {
        reason: 'invalid',
        field: `garden.${problem.field}`,
        problems: plan.problems,
      });
    if (plan.unresolved.length > 0)
      throw conflict('values', 'unresolved', `${plan.unresolved.join(', ')} has no value; set it and try again.`, {
        unresolved: plan.unresolved,
      });
    const digest = await digestOf(partsOf(files), pausing());
    const filesHash = await vault.hmac(storage.reader, principal.accountId, `garden files ${digest}`);
    if (
      plan_hash !== undefined &&
      plan_hash !== plan.plan_hash &&
      !(await this.#isApplying(principal, plan, filesHash))
    )
      throw conflict('plan_hash', 'stale', 'the plan has changed; plan the garden again.', {
        plan_hash: plan.plan_hash,
      });
    return { planned, filesHash, prune: files.prune ?? false };
  }

  /** Whether these very files are being applied: then their plan has changed because of that. */
  async #isApplying(principal: Principal, { garden_id }: GardenPlan, filesHash: string): Promise<boolean> {
    const run = garden_id === null ? undefined : await applyingRun(this.#deps.storage.reader, garden_id);
    return run?.account_id === principal.accountId && run.files_hash === filesHash;
  }

  async apply(
    tx: Tx,
    principal: Principal,
    { planned, filesHash, prune }: PreparedRun,
    from: 'client' | 'repository' = 'client',
  ): Promise<GardenRunDetail> {
    const { plan, changes, orders } = planned;
    const { accountId } = principal;
    const actor = actorOf(principal);
    const garden = await holdGarden(tx, {
      id: newId('garden'),
      account_id: accountId,
      name: plan.name,
      created_at: tx.now,
      updated_at: tx.now,
    });
    if (from === 'client' && (await isFollowed(tx, garden.id)))
      throw conflict('garden', 'followed', 'is followed in a repository; push a commit, or forget the garden first.', {
        garden_id: garden.id,
      });
    const current = await applyingRun(tx, garden.id);
    if (current?.files_hash === filesHash) return this.#detail(tx, principal, garden, current);
    if (current)
      throw conflict('garden', 'applying', `run ${current.id} is applying this garden; wait for it or cancel it.`, {
        run_id: current.id,
      });
    const id = newId('gardenRun');
    const row = await begin(
      tx,
      gardenRunLifecycle,
      {
        id,
        account_id: accountId,
        garden_id: garden.id,
        prune: prune ? 1 : 0,
        plan_hash: plan.plan_hash,
        files_hash: filesHash,
        counts: JSON.stringify(plan.counts),
        orders: await this.#deps.vault.encrypt(tx, accountId, JSON.stringify(orders), sealingContext(id)),
        cancelled: 0,
        reason: null,
        error: null,
        created_by: actor,
        created_at: tx.now,
        updated_at: tx.now,
        finished_at: null,
      },
      'plan',
      actor,
    );
    await insertChanges(
      tx,
      changes.map(({ kind, key, action, id: resource_id, fields, needs }, place) => ({
        ...{ run_id: id, place, kind, key, action, resource_id, state: 'waiting' as const },
        ...{ fields: JSON.stringify(fields), needs: JSON.stringify(needs) },
        ...{ deployment_id: null, from_revision: null, error: null },
      })),
    );
    let run = await transition(tx, gardenRunLifecycle, row, 'begin', { actor });
    if (changes.length > 0) await wakeRun(tx, id);
    else {
      const set = { orders: '', finished_at: tx.now };
      run = await transition(tx, gardenRunLifecycle, run, 'succeed', { actor, set });
    }
    return this.#detail(tx, principal, garden, run);
  }

  async list({ accountId }: Principal, request: PageRequest): Promise<Page<Garden>> {
    const { storage, pages } = this.#deps;
    const page = await pages.read(request, gardenList(storage.reader, { accountId }));
    return { ...page, data: await this.#records(page.data) };
  }

  async read(principal: Principal, id: string, queries?: Queries): Promise<Garden> {
    const row = await findGarden(queries ?? this.#deps.storage.reader, principal.accountId, id);
    const [record] = row ? await this.#records([row], queries) : [];
    if (!record) throw notFound('garden');
    return record;
  }

  /** Forgets what the garden made; the records themselves stay. */
  async delete(tx: Tx, principal: Principal, id: string): Promise<Garden> {
    const row = await lockGarden(tx, principal.accountId, id);
    if (!row) throw notFound('garden');
    const run = await applyingRun(tx, id);
    if (run)
      throw conflict('id', 'applying', `run ${run.id} is applying this garden; wait for it or cancel it.`, {
        run_id: run.id,
      });
    const made = (await countMade(tx, [id])).get(id) ?? 0;
    const source = (await this.#deps.sources(tx, [id])).get(id) ?? null;
    await deleteGarden(tx, id);
    await append(tx, {
      type: 'audit.garden_forgotten',
      accountId: row.account_id,
      resourceType: 'garden',
      resourceId: id,
      actor: actorOf(principal),
      data: { garden_id: id, name: row.name },
    });
    return gardenRecord(row, source, made, null);
  }

  async runs(principal: Principal, filter: RunFilter, request: PageRequest): Promise<Page<GardenRun>> {
    const { storage, pages } = this.#deps;
    const { name } = await this.#find(principal, filter.gardenId);
    const page = await pages.read(request, runList(storage.reader, filter));
    const done = await countDone(
      storage.reader,
      page.data.map(({ id }) => id),
    );
    return { ...page, data: page.data.map((row) => runRecord(row, name, done.get(row.id) ?? 0)) };
  }

  async run(principal: Principal, id: string): Promise<GardenRunDetail> {
    const { reader } = this.#deps.storage;
    const run = await findRun(reader, principal.accountId, id);
    const garden = run && (await findGarden(reader, principal.accountId, run.garden_id));
    if (!run || !garden) throw notFound('run');
    return this.#detail(reader, principal, garden, run);
  }

  /** Orders nothing new; what was ordered is followed to its end. Idempotent. */
  async cancel(tx: Tx, principal: Principal, id: string): Promise<GardenRun> {
    const run = (await findRun(tx, principal.accountId, id)) && (await lockRun(tx, id));
    const garden = run && (await findGarden(tx, principal.accountId, run.garden_id));
    if (!run || !garden) throw notFound('run');
    if (run.status === 'succeeded')
      throw conflict('status', 'final', 'this run has already ended: succeeded.', { status: run.status });
    if (run.status === 'applying' && run.cancelled === 0) {
      await setCancelled(tx, id);
      await wakeRun(tx, id);
    }
    return runRecord(run, garden.name, (await countDone(tx, [id])).get(id) ?? 0);
  }

  async #detail(queries: Queries, principal: Principal, garden: GardenRow, run: GardenRunRow) {
    const changes = await changesOf(queries, run.id);
    const done = changes.filter(({ state }) => state === 'done').length;
    const shown = changes.map((row) => seenBy(principal, changeRecord(row)));
    return { ...runRecord(run, garden.name, done), changes: shown };
  }

  async #records(rows: readonly GardenRow[], queries: Queries = this.#deps.storage.reader): Promise<Garden[]> {
    const ids = rows.map(({ id }) => id);
    const made = await countMade(queries, ids);
    const newest = await newestRuns(queries, ids);
    const sources = await this.#deps.sources(queries, ids);
    const done = await countDone(
      queries,
      newest.map(({ id }) => id),
    );
    return rows.map((row) => {
      const run = newest.find(({ garden_id }) => garden_id === row.id);
      const lastRun = run ? runRecord(run, row.name, done.get(run.id) ?? 0) : null;
      return gardenRecord(row, sources.get(row.id) ?? null, made.get(row.id) ?? 0, lastRun);
    });
  }

  async #find({ accountId }: Principal, id: string): Promise<GardenRow> {
    const row = await findGarden(this.#deps.storage.reader, accountId, id);
    if (!row) throw notFound('garden');
    return row;
  }
}
