import type { GardenPlan } from '@hortus/contract/resources/garden-records';
import type { GardenCommit, GardenCommitDetail, GardenDrift } from '@hortus/contract/resources/garden-source-records';
import { actorOf, type Principal } from '../../../identity/principal.ts';
import { conflict, notFound } from '../../../problem.ts';
import type { Page, PageRequest, Pages } from '../../../storage/page.ts';
import type { Queries, Storage, Tx } from '../../../storage/storage.ts';
import type { Vault } from '../../../vault/vault.ts';
import { type GardenPlanning, requireSight } from '../planning.ts';
import type { Gardens, PreparedRun } from '../service.ts';
import { findGarden } from '../store.ts';
import { commitFiles } from './commit-files.ts';
import { moveCommit } from './moving.ts';
import { commitDetail, commitRecord } from './record.ts';
import { begin } from './steps.ts';
import {
  appliedCommit,
  type CommitFilter,
  type CommitRow,
  commitList,
  contentsOf,
  findCommit,
  lockSource,
  type SourceRow,
  updateCommit,
  updateContents,
} from './store.ts';

export interface CommitsDeps {
  readonly storage: Storage;
  readonly pages: Pages;
  readonly vault: Pick<Vault, 'decrypt'>;
  readonly planning: GardenPlanning;
  readonly gardens: Gardens;
}

export interface CommitPlace {
  readonly id: string;
  readonly commit_id: string;
}

/** Reads the commits of followed gardens, and records the decisions of people about them. */
export class GardenCommits {
  readonly #deps: CommitsDeps;
  constructor(deps: CommitsDeps) {
    this.#deps = deps;
  }

  async list(principal: Principal, filter: CommitFilter, request: PageRequest): Promise<Page<GardenCommit>> {
    const { storage, pages } = this.#deps;
    await this.#requireGarden(principal, filter.gardenId);
    const page = await pages.read(request, commitList(storage.reader, filter));
    return { ...page, data: page.data.map(commitRecord) };
  }

  async read(principal: Principal, place: CommitPlace): Promise<GardenCommitDetail> {
    const { reader } = this.#deps.storage;
    const row = await this.#find(reader, principal, place);
    const detail = commitDetail(row, (await contentsOf(reader, row.id))?.plan ?? null);
    requirePlanSight(principal, detail.plan);
    return detail;
  }

  /** Plans a waiting commit again with the rights of the caller. A plan that has changed is stored and refused. */
  async prepareApproval(principal: Principal, place: CommitPlace, planHash: string): Promise<PreparedRun> {
    const { storage, vault, gardens } = this.#deps;
    const row = await this.#find(storage.reader, principal, place);
    requireWaiting(row);
    const files = await commitFiles(vault, storage.reader, row);
    if (!files) throw notFound('commit');
    const { body, kept } = files;
    const prepared = await gardens.prepare(principal, body, kept);
    const { plan } = prepared.planned;
    if (plan.plan_hash === planHash) return prepared;
    await storage.write(async (tx) => {
      const held = await this.#held(tx, principal, place);
      if (held.commit.status !== 'waiting') return;
      const { plan_hash } = plan;
      await updateCommit(tx, row.id, { plan_hash, counts: JSON.stringify(plan.counts), updated_at: tx.now });
      await updateContents(tx, row.id, { plan: JSON.stringify(plan) });
    });
    throw conflict('plan_hash', 'stale', 'the plan has changed; look at the commit again.', {
      plan_hash: plan.plan_hash,
    });
  }

  async approve(tx: Tx, principal: Principal, place: CommitPlace, run: PreparedRun): Promise<GardenCommit> {
    const { source, commit } = await this.#held(tx, principal, place);
    requireWaiting(commit);
    const actor = actorOf(principal);
    const approved = await moveCommit(tx, source, commit, 'approve', { actor, set: { decided_by: actor } });
    return commitRecord(await begin(tx, this.#deps.gardens, { source, commit: approved, principal, run }));
  }

  /** Idempotent. */
  async reject(tx: Tx, principal: Principal, place: CommitPlace, comment: string | undefined): Promise<GardenCommit> {
    const { source, commit } = await this.#held(tx, principal, place);
    if (commit.status === 'rejected') return commitRecord(commit);
    requireWaiting(commit);
    const actor = actorOf(principal);
    const set = { decided_by: actor, reason: 'rejected', error: comment ?? 'Rejected.' };
    return commitRecord(await moveCommit(tx, source, commit, 'reject', { actor, set }));
  }

  /** Compares the last applied commit with what exists. */
  async drift(principal: Principal, gardenId: string): Promise<GardenDrift> {
    const { storage, vault, planning } = this.#deps;
    await this.#requireGarden(principal, gardenId);
    const row = await appliedCommit(storage.reader, gardenId);
    const files = row && (await commitFiles(vault, storage.reader, row));
    if (!row || !files) return { commit: null, plan: null };
    const { body, kept } = files;
    return { commit: commitRecord(row), plan: (await planning.plan(principal, body, kept)).plan };
  }

  async #requireGarden({ accountId }: Principal, id: string): Promise<void> {
    if (!(await findGarden(this.#deps.storage.reader, accountId, id))) throw notFound('garden');
  }

  async #find(queries: Queries, { accountId }: Principal, { id, commit_id }: CommitPlace): Promise<CommitRow> {
    const row = await findCommit(queries, accountId, commit_id);
    if (row?.garden_id !== id) throw notFound('commit');
    return row;
  }

  async #held(tx: Tx, principal: Principal, place: CommitPlace): Promise<{ source: SourceRow; commit: CommitRow }> {
    const { garden_id } = await this.#find(tx, principal, place);
    const source = await lockSource(tx, garden_id);
    if (!source) throw notFound('commit');
    return { source, commit: await this.#find(tx, principal, place) };
  }
}

function requireWaiting({ status }: CommitRow): void {
  if (status !== 'waiting')
    throw conflict('status', 'state', `this commit is ${status}; only a waiting one can be approved or rejected.`, {
      status,
    });
}

/** A stored plan shows the values of what existed. */
function requirePlanSight(principal: Principal, plan: GardenPlan | null): void {
  for (const kind of new Set(plan?.changes.map(({ kind }) => kind))) requireSight(principal, kind);
}
