import type { BuiltIn, Settling } from '@hortus/contract/actions/built-in-actions';
import type { ActionReport, Execution, ScheduledReport } from '@hortus/contract/resources/actions';
import type { Protect } from '../../channel/protect.ts';
import { actorOf, type Principal } from '../../identity/principal.ts';
import type { JobKind } from '../../jobs/job.ts';
import { conflict, notFound, Problem } from '../../problem.ts';
import type { Page, PageRequest, Pages } from '../../storage/page.ts';
import type { Queries, Storage, Tx } from '../../storage/storage.ts';
import type { Vault } from '../../vault/vault.ts';
import type { Work } from '../../workers/job.ts';
import { type BuiltInOrder, type Instances, specOf, withoutIds } from '../instances/public.ts';
import type { ServerOrder } from '../servers/public.ts';
import type { Catalog } from '../templates/public.ts';
import { containersOf } from './containers.ts';
import { deadlineJob } from './deadlines.ts';
import { type Declared, declaredOf } from './declared.ts';
import { dispatch, type Line, sendMarked } from './dispatch.ts';
import { isFinal } from './lifecycle.ts';
import type { ManifestOf } from './manifest-of.ts';
import { Orders, type Wanted } from './orders.ts';
import { executionRecord } from './record.ts';
import { ReportMasking, type ReportMaskingDeps } from './report-masking.ts';
import { claimed, finalMoves, Results, type ResultsDeps } from './results.ts';
import { recordScheduled } from './scheduled.ts';
import {
  type ExecutionFilter,
  type ExecutionRow,
  executionList,
  findExecution,
  latestOfInstance,
  lockExecution,
  lockUnfinished,
  noteExecution,
  pauseOfServer,
  waitingExecutions,
} from './store.ts';

export interface ActionsDeps
  extends Pick<ResultsDeps, 'ended' | 'backupEnded' | 'makeRoom'>,
    Pick<ReportMaskingDeps, 'secretsOf'> {
  readonly storage: Storage;
  readonly pages: Pages;
  readonly vault: Vault;
  readonly catalog: Pick<Catalog, 'known'>;
  readonly instances: Pick<
    Instances,
    'find' | 'findIn' | 'lock' | 'findLiving' | 'lockLivingOf' | 'began' | 'settled' | 'definitionOf'
  >;
  readonly manifestOf: ManifestOf;
  readonly work: Work;
  readonly protect: Protect;
  /** Returns the connection to the daemon of a server, if this process holds it. */
  readonly lineTo: (serverId: string) => Line | undefined;
}

/** Report of an ended execution over the channel. */
export type Result = Pick<
  ActionReport,
  'exit_code' | 'output' | 'output_truncated' | 'error' | 'outcome' | 'result'
> & {
  readonly execution_id: string;
};

export class Actions {
  readonly #deps: ActionsDeps;
  readonly #results: Results;
  readonly #orders: Orders;
  readonly #masking: ReportMasking;
  constructor(deps: ActionsDeps) {
    this.#deps = deps;
    this.#results = new Results(deps);
    this.#orders = new Orders({ ...deps, results: this.#results });
    this.#masking = new ReportMasking(deps);
  }

  /** Lists the actions that the template of the running revision declares. */
  async list(principal: Principal, instanceId: string): Promise<Declared> {
    const { storage, catalog, instances } = this.#deps;
    return declaredOf(specOf(catalog, await instances.find(storage.reader, principal, instanceId)));
  }

  /** Validates everything possible before a transaction begins. */
  prepare(
    principal: Principal,
    instanceId: string,
    slug: string,
    params: Readonly<Record<string, unknown>>,
  ): Promise<Wanted> {
    return this.#orders.prepare(principal, instanceId, slug, params);
  }

  async execute(tx: Tx, principal: Principal, wanted: Wanted): Promise<Execution> {
    return executionRecord(await this.#orders.execute(tx, principal, wanted));
  }

  /** Orders a built-in action. */
  async order(tx: Tx, order: BuiltInOrder): Promise<Execution> {
    return executionRecord(await this.#orders.order(tx, order));
  }

  /** Finds the latest execution of a kind for an instance, for migrations. */
  latest(queries: Queries, instanceId: string, slug: BuiltIn): Promise<ExecutionRow | undefined> {
    return latestOfInstance(queries, instanceId, slug);
  }

  /** Lists the containers of an instance, dependencies first, for migrations: by name or id, or `elsewhere` by name. */
  async containersOf(
    queries: Queries,
    accountId: string,
    instanceId: string,
    { elsewhere = false }: { readonly elsewhere?: boolean } = {},
  ): Promise<string[]> {
    const { catalog, instances } = this.#deps;
    const instance = await instances.findIn(queries, accountId, instanceId);
    if (!instance) return [];
    const components = elsewhere ? withoutIds(instance.components) : instance.components;
    return containersOf(specOf(catalog, instance), { ...instance, components });
  }

  /** Reads an execution for migrations. */
  currentState(queries: Queries, id: string): Promise<ExecutionRow | undefined> {
    return findExecution(queries, id);
  }

  /** Orders an action on a server. */
  async orderOnServer(tx: Tx, order: ServerOrder): Promise<Execution> {
    return executionRecord(await this.#orders.orderOnServer(tx, order));
  }

  /** Records a built-in action that had nothing to do. */
  async done(tx: Tx, order: BuiltInOrder): Promise<Execution> {
    return executionRecord(await this.#orders.done(tx, order));
  }

  /** Finds the last unfinished action that sets the state of the instance. */
  lastWanted(queries: Queries, instanceId: string): Promise<Settling | undefined> {
    return this.#orders.lastWanted(queries, instanceId);
  }

  /** Cancels built-in actions of a kind that have not been sent. */
  withdraw(tx: Tx, instanceId: string, slug: BuiltIn, actor: string | null): Promise<void> {
    return this.#orders.withdraw(tx, instanceId, slug, actor);
  }

  read(principal: Principal, id: string): Promise<Execution> {
    return this.find(this.#deps.storage.reader, principal, id);
  }

  /** Reads an execution for resources that wait for it. */
  async find(queries: Queries, principal: Principal, id: string): Promise<Execution> {
    return executionRecord(visible(principal, await findExecution(queries, id)));
  }

  async history(
    principal: Principal,
    filter: Omit<ExecutionFilter, 'accountId'> & { instanceId: string },
    request: PageRequest,
  ): Promise<Page<Execution>> {
    await this.#deps.instances.find(this.#deps.storage.reader, principal, filter.instanceId);
    return this.all({ ...filter, accountId: principal.accountId }, request);
  }

  async all(filter: ExecutionFilter, request: PageRequest): Promise<Page<Execution>> {
    const { storage, pages } = this.#deps;
    return await pages.read(request, executionList(storage.reader, filter), executionRecord);
  }

  /** Masks a report for `report`. A final state never changes: the same one again is accepted, another is refused. */
  async prepareReport(principal: Principal, id: string, report: ActionReport): Promise<ActionReport> {
    const { reader } = this.#deps.storage;
    return this.#masking.ofExecution(reader, visible(principal, await findExecution(reader, id)), report);
  }

  async report(tx: Tx, principal: Principal, id: string, report: ActionReport): Promise<Execution> {
    const row = visible(principal, await lockExecution(tx, id));
    return executionRecord(await this.#take(tx, row, report, actorOf(principal)));
  }

  /** Masks a report for `scheduled`. */
  async prepareScheduled(principal: Principal, report: ScheduledReport): Promise<ScheduledReport> {
    const { storage, instances } = this.#deps;
    const { account_id, definition_id } = await instances.findLiving(storage.reader, principal, report.definition_id);
    const owner = { accountId: account_id, definitionId: definition_id };
    return this.#masking.ofDefinition(storage.reader, owner, report);
  }

  /** Records a scheduled job that the daemon has run. */
  async scheduled(tx: Tx, principal: Principal, report: ScheduledReport): Promise<Execution> {
    const { vault, instances } = this.#deps;
    const instance = await instances.lockLivingOf(tx, principal, report.definition_id);
    return executionRecord(await recordScheduled(tx, { vault, results: this.#results }, principal, instance, report));
  }

  async cancel(tx: Tx, principal: Principal, id: string): Promise<Execution> {
    const row = visible(principal, await lockExecution(tx, id));
    if (row.status === 'cancelled') return executionRecord(row);
    const actor = actorOf(principal);
    const untouched = row.status === 'pending' || (row.status === 'sent' && row.sent_epoch === null);
    // Also if final: the state machine then explains why it cannot be cancelled.
    if (untouched || isFinal(row.status))
      return executionRecord(await this.#results.end(tx, row, 'cancel', { actor, error: 'The action was cancelled.' }));
    if (row.cancel_requested_at !== null) return executionRecord(row);
    await noteExecution(tx, id, { cancel_requested_at: tx.now });
    this.#orders.wake(tx, row.server_id);
    return executionRecord({ ...row, cancel_requested_at: tx.now });
  }

  /**
   * Sends pending executions to a server. Called by the holder of its connection: on connect, on new work, and
   * periodically.
   */
  dispatch(serverId: string, connection: Line): Promise<void> {
    return dispatch({ ...this.#deps, results: this.#results }, serverId, connection);
  }

  /** Sends an execution that was marked as sent in the transaction of its order. */
  sendMarked(executionId: string): Promise<void> {
    return sendMarked({ ...this.#deps, results: this.#results }, executionId, this.#deps.lineTo);
  }

  /** Lists servers with executions to send. `epochOf` knows the connections held by this process. */
  async serversWithWork(queries: Queries, epochOf: (serverId: string) => number | undefined): Promise<string[]> {
    const waiting = (await waitingExecutions(queries)).filter((row) => {
      const epoch = epochOf(row.server_id);
      if (epoch === undefined) return false;
      return row.status === 'pending' || row.cancel_requested_at !== null || row.sent_epoch !== epoch;
    });
    return waiting.map(({ server_id }) => server_id);
  }

  /**
   * Ends the executions that were sent to a member of a cluster which no longer leads: only its journal knows them. They
   * are not sent to the next leader, because they may have run.
   */
  async interrupt(tx: Tx, serverId: string): Promise<void> {
    for (const row of await lockUnfinished(tx, serverId)) {
      if (row.status !== 'pending') await this.#results.end(tx, row, 'fail', { actor: null, ...interrupted });
    }
  }

  /** Pauses the deadlines of a server that went offline, until the next `dispatch`. */
  async pause(tx: Tx, serverId: string): Promise<void> {
    await pauseOfServer(tx, serverId);
  }

  /** Reports from the channel; invalid, late or repeated ones are ignored. */
  started(serverId: string, executionId: string): Promise<void> {
    return this.#receive(serverId, executionId, { status: 'running' });
  }

  completed(serverId: string, { execution_id, ...result }: Result): Promise<void> {
    return this.#receive(serverId, execution_id, { ...result, status: 'completed' });
  }

  failed(serverId: string, { execution_id, ...result }: Result): Promise<void> {
    return this.#receive(serverId, execution_id, { ...result, status: 'failed' });
  }

  deadlineJob(): JobKind {
    const { storage } = this.#deps;
    return deadlineJob({
      storage,
      end: async (tx, row, { move, ...ending }) =>
        void (await this.#results.end(tx, row, move, { actor: null, ...ending })),
    });
  }

  async #receive(serverId: string, id: string, report: ActionReport): Promise<void> {
    const { storage } = this.#deps;
    const found = await findExecution(storage.reader, id);
    if (found?.server_id !== serverId) return;
    const masked = await this.#masking.ofExecution(storage.reader, found, report);
    await storage.write(async (tx) => {
      const row = await lockExecution(tx, id);
      if (row?.server_id !== serverId) return;
      // An execution that was never sent cannot have run.
      if (isFinal(row.status) || row.status === 'pending') return;
      await this.#take(tx, row, masked, serverId);
    });
  }

  async #take(tx: Tx, row: ExecutionRow, report: ActionReport, actor: string): Promise<ExecutionRow> {
    const status = claimed(report);
    if (row.status === status) return row;
    if (isFinal(row.status))
      throw conflict('status', 'state', `the execution is ${row.status}, which is final.`, { status: row.status });
    if (status === 'running') return this.#results.start(tx, row, actor);
    if (status === 'pending' || status === 'sent') throw new Problem('VALIDATION_ERROR', 'status: is not a result.');
    return this.#results.end(tx, row, finalMoves[status], {
      actor,
      exitCode: report.exit_code,
      output: report.output,
      truncated: report.output_truncated,
      error: report.error ?? (status === 'completed' ? null : wordless[status]),
      outcome: report.outcome === 'unknown' ? 'unknown' : 'known',
      result: report.result,
    });
  }
}

/** Errors for reports without one. */
const wordless = {
  failed: 'The action failed.',
  timeout: 'The action exceeded its timeout.',
  cancelled: 'The action was cancelled.',
} as const;

/** Hides executions of other accounts and, from a daemon, of other servers. */
function visible(principal: Principal, row: ExecutionRow | undefined): ExecutionRow {
  const foreign = row?.account_id !== principal.accountId;
  if (!row || foreign || (principal.kind === 'server' && principal.serverId !== row.server_id))
    throw notFound('execution');
  return row;
}

const interrupted = {
  error: 'Another member leads the cluster now; whether the action finished is unknown.',
  outcome: 'unknown',
} as const;
