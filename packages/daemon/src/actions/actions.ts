import { randomUUID } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { milliseconds } from '@hortus/template/notation/quantity';
import { primaryOf } from '@hortus/template/rollout/replacement';
import { Slots } from '../concurrency/turns.ts';
import type { ContainerFacts } from '../engine/container-facts.ts';
import type { Engine } from '../engine/engine.ts';
import { runningContainer } from '../instances/instance-containers.ts';
import { type RelayTo, Ways } from '../instances/ways.ts';
import { type ActionRequest, cancelled, failure } from '../journal/action.ts';
import type { JournalledExecution } from '../journal/executions.ts';
import { startScheduled } from '../template-jobs/scheduled-job.ts';
import { inActionSpan } from './action-span.ts';
import { type AllowedAction, allowedAction } from './allowed-action.ts';
import { type BuiltInOptions, BuiltInRuns } from './built-in-runs.ts';
import { callComponent } from './http-action.ts';
import { instanceOf } from './instance-of.ts';
import { awaitJob, hasStarted, jobName, removeJob, startJob } from './job-action.ts';
import { Ledger, type LedgerOptions } from './ledger.ts';
import { awaitShim, cancelShim, removeShim, type ShimEnd, shimDirectory } from './shim.ts';
import type { Shims } from './shims.ts';

export interface ActionsOptions extends LedgerOptions, BuiltInOptions {
  shims: Shims;
  /** Bytes kept of an execution's output. */
  outputLimit: number;
  /** Socket of the engine of another node of the cluster. */
  socketOn?(node: string): Promise<string>;
  /** Reaches tasks of a cluster that have no address on this machine. */
  relayTo?: RelayTo;
  /** The node of the volumes of an instance, where its jobs run; by default that of this daemon. */
  viewOf?(uid: string): Promise<{ engine: Engine }>;
}

const AT_ONCE = 16;
const ATTEMPTS = 3;
/** Actions that waited longer before they started are dropped; the service uses the same limit. */
const STALE_AFTER = 10 * 60_000;
/** Upper limit of a job's run time; its manifest or order may set less. */
const MAX_RUN_MS = 24 * 3_600_000;

/**
 * Runs actions, each at most once, without losing results: everything is journalled before it happens, and the work is
 * done by a process or container that outlives the daemon. After a restart the journal tells which one to ask.
 */
export class Actions {
  readonly #options: ActionsOptions;
  readonly #ledger: Ledger;
  readonly #active = new Map<string, Promise<void>>();
  /** Active executions that may have been interrupted by the loss of the leadership. */
  readonly #suspended = new Set<string>();
  /** Failed attempts to start, by execution. */
  readonly #tried = new Map<string, number>();
  readonly #slots = new Slots(AT_ONCE);
  readonly #builtIns: BuiltInRuns;
  readonly #stopped = new AbortController();

  constructor(options: ActionsOptions) {
    this.#options = options;
    this.#ledger = new Ledger(options);
    this.#builtIns = new BuiltInRuns(options, this.#ledger, this.#stopped.signal);
  }

  /** Handles a request of the service; idempotent. */
  handle(sent: ActionRequest): void {
    const request = this.#options.builtIns.backups.withoutKeys(sent);
    const id = request.execution_id;
    const known = this.#options.journal.executions.find(id);
    if (known?.phase === 'finished') this.#options.onFinished(id);
    if (known?.phase === 'started') this.#options.onStarted(known.request);
    // Executions in the journal have been followed since the daemon started.
    if (known || this.#active.has(id)) return;
    // Only the scheduler starts scheduled jobs.
    if (request.action.type === 'scheduled')
      this.#ledger.refuse(request, new Error('Scheduled jobs cannot be started by an order.'));
    else this.#follow(request, () => this.#begin(request));
  }

  /** Whether an execution was accepted before. */
  knows(id: string): boolean {
    return this.#active.has(id) || this.#options.journal.executions.find(id) !== undefined;
  }

  cancel(id: string): void {
    if (this.#active.has(id)) this.#ledger.callOff(id);
    const known = this.#options.journal.executions.find(id);
    this.#options.builtIns.backups.cancel(id);
    if (known?.phase === 'started' && known.runner?.kind === 'shim') cancelShim(known.runner.process);
    if (known?.phase === 'started' && known.runner?.kind === 'container') {
      const { name } = known.runner;
      this.#engineOfJob(known.request)
        .then((engine) => engine.kill(name, 'SIGKILL'))
        .catch(() => undefined);
    }
  }

  /** Runs a request that the scheduler has journalled. */
  run(request: ActionRequest): void {
    this.#follow(request, () => this.#begin(request));
  }

  /** Resumes executions after a restart, or after a time in which this daemon did not lead its cluster. */
  recover(): void {
    const { executions, directory } = this.#options.journal;
    const unfinished = executions.unfinished();
    const needed = new Set(unfinished.flatMap(({ runner }) => (runner?.kind === 'shim' ? [runner.directory] : [])));
    for (const name of listed(shimDirectory(directory, ''))) {
      const left = shimDirectory(directory, name);
      if (!needed.has(left)) removeShim(left);
    }
    for (const execution of unfinished) {
      // A suspended one is about to end.
      if (this.#suspended.has(execution.id)) void this.#active.get(execution.id)?.then(() => this.recover());
      else if (!this.#active.has(execution.id)) this.#follow(execution.request, () => this.#resume(execution));
    }
  }

  /** Aborts backups and restores without a result, because another daemon of the cluster may lead. */
  suspend(): void {
    for (const id of this.#active.keys()) this.#suspended.add(id);
    this.#options.builtIns.backups.suspend();
  }

  /** Detaches from running executions; they continue, and the journal knows them. */
  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#options.builtIns.backups.stop();
    await this.#options.shims.close();
  }

  #follow(request: ActionRequest, begin: () => Promise<void>): void {
    const id = request.execution_id;
    const work = () => inActionSpan(request, this.#options.journal.executions, begin);
    // A built-in action may wait for a whole rollout; it takes its slot only after that.
    const done = (request.action.type === 'builtin' ? work() : this.#slots.run(work))
      .catch((error: Error) => {
        if (!this.#stopped.signal.aborted) this.#ledger.refuse(request, error);
      })
      .finally(() => {
        this.#active.delete(id);
        this.#suspended.delete(id);
        this.#tried.delete(id);
        this.#ledger.close(id);
      });
    this.#active.set(id, done);
  }

  async #begin(request: ActionRequest, reached?: unknown): Promise<void> {
    const { type } = request.action;
    if (type === 'builtin') return this.#builtIns.run(request, reached);
    if (type === 'scheduled') return this.#scheduled(request);
    const uid = await instanceOf(this.#options, request);
    const manifest = this.#options.journal.manifests.of(uid);
    const permission = allowedAction(request, manifest);
    if (!permission.ok) throw new Error(`${permission.message} (rule ${permission.rule})`);
    if (type === 'job') return this.#job(request, uid, permission);
    const { component } = permission.action;
    const primary = manifest !== undefined && primaryOf(manifest) === component;
    const container = await runningContainer(this.#options.engine, uid, component, primary);
    if (!container) throw new Error(`The component ${component} is not running.`);
    if (type === 'exec') return this.#exec(request, container, permission);
    await using ways = new Ways(this.#options.relayTo, this.#stopped.signal);
    const callee = await ways.to(container, permission.action.http?.port ?? 0);
    // Making a way to another node takes seconds, and another daemon may lead since.
    if (this.#suspended.has(request.execution_id))
      throw new Error('This daemon stopped leading its cluster before the call.');
    this.#ledger.start(request, { kind: 'once' });
    const outcome = await callComponent(permission.action, callee, this.#options.outputLimit);
    this.#ledger.finish(request.execution_id, outcome);
  }

  async #exec(request: ActionRequest, container: ContainerFacts, { action, argv }: AllowedAction): Promise<void> {
    const { journal, shims, outputLimit } = this.#options;
    const socket = container.node && (await this.#socketOn(container.node));
    const shim = await shims.take();
    const directory = shimDirectory(journal.directory, randomUUID());
    try {
      this.#ledger.start(request, { kind: 'shim', directory, process: shim.process });
    } catch (error) {
      shims.giveBack(shim);
      throw error;
    }
    const end = await shim.carryOut(directory, {
      execution_id: request.execution_id,
      container: container.id,
      ...(socket === undefined ? {} : { socket }),
      argv,
      env: action.env,
      ...(action.user === undefined ? {} : { user: action.user }),
      ...(action.working_dir === undefined ? {} : { working_dir: action.working_dir }),
      timeout_ms: timeoutOf(request, action.timeout_ms),
      output_limit: outputLimit,
    });
    shims.giveBack(shim);
    await this.#shimEnded(request, directory, end);
  }

  async #socketOn({ id, name }: { id: string; name: string }): Promise<string> {
    const socket = await this.#options.socketOn?.(id);
    if (socket === undefined) throw new Error(`The component runs on node ${name}, which this daemon does not reach.`);
    return socket;
  }

  async #engineOfJob(request: ActionRequest): Promise<Engine> {
    const { engine, viewOf } = this.#options;
    return viewOf ? (await viewOf(await instanceOf(this.#options, request))).engine : engine;
  }

  async #shimEnded(request: ActionRequest, directory: string, end: ShimEnd): Promise<void> {
    if (!end.begun) {
      removeShim(directory);
      return this.#beginAgain(request);
    }
    // If the journal could not store it, the next start of the daemon looks for the result here.
    if (this.#ledger.keep(request.execution_id, end.outcome)) removeShim(directory);
  }

  /** Retries an execution that certainly did not start; limited, because a broken shim never starts. */
  async #beginAgain(request: ActionRequest): Promise<void> {
    const tried = (this.#tried.get(request.execution_id) ?? 0) + 1;
    this.#tried.set(request.execution_id, tried);
    if (tried < ATTEMPTS) return this.#begin(request);
    this.#ledger.finish(request.execution_id, failure('The process that runs actions could not be started.'));
  }

  async #job(request: ActionRequest, uid: string, allowed: AllowedAction): Promise<void> {
    const { journal } = this.#options;
    const engine = await this.#engineOfJob(request);
    const name = jobName(request.execution_id);
    this.#ledger.start(request, { kind: 'container', name });
    const manifest = journal.manifests.of(uid);
    if (!manifest) return this.#ledger.finish(request.execution_id, failure('The instance was released.'));
    await this.#launch(engine, name, () =>
      startJob({ engine, manifest, executionId: request.execution_id, name, ...allowed }),
    );
    await this.#jobEnded(request, engine, name, timeoutOf(request, allowed.action.timeout_ms));
  }

  /** Runs a scheduled job. */
  async #scheduled(request: ActionRequest): Promise<void> {
    const { journal } = this.#options;
    const engine = await this.#engineOfJob(request);
    const { execution_id: executionId, container_name, action } = request;
    const name = jobName(executionId);
    this.#ledger.start(request, { kind: 'container', name });
    const manifest = journal.manifests.of(container_name);
    if (!manifest) return this.#ledger.finish(executionId, failure('The instance was released.'));
    await this.#launch(engine, name, () =>
      startScheduled({ engine, manifest, component: action.slug, executionId, name }),
    );
    await this.#jobEnded(request, engine, name, timeoutOf(request, MAX_RUN_MS));
  }

  /** Removes the container of a job that failed to start. */
  async #launch(engine: Engine, name: string, start: () => Promise<void>): Promise<void> {
    try {
      await start();
    } catch (error) {
      await removeJob(engine, name).catch(() => undefined);
      throw error;
    }
  }

  async #jobEnded(request: ActionRequest, engine: Engine, name: string, timeoutMs: number): Promise<void> {
    const { outputLimit } = this.#options;
    const id = request.execution_id;
    // A cancellation during its creation found no container to kill.
    if (this.#ledger.isCalledOff(id)) await engine.kill(name, 'SIGKILL').catch(() => undefined);
    const ended = await awaitJob({ engine, name, timeoutMs, outputLimit, signal: this.#stopped.signal });
    const killed = this.#ledger.isCalledOff(id) && ended.status === 'failed' && ended.outcome === 'known';
    if (this.#ledger.keep(id, killed ? cancelled(ended) : ended)) await removeJob(engine, name);
  }

  async #resume({ request, phase, runner, receivedAt }: JournalledExecution): Promise<void> {
    const stale = Date.now() - receivedAt > STALE_AFTER;
    if (phase === 'received' || runner === undefined) {
      if (stale)
        return this.#ledger.finish(
          request.execution_id,
          failure('The action could not be started in time.', 'timeout'),
        );
      return this.#begin(request);
    }
    switch (runner.kind) {
      case 'shim': {
        const end = await awaitShim(runner.directory, runner.process, this.#stopped.signal);
        if (!end.begun && stale) {
          return this.#ledger.finish(
            request.execution_id,
            failure('The action could not be started in time.', 'timeout'),
          );
        }
        return this.#shimEnded(request, runner.directory, end);
      }
      case 'container': {
        const engine = await this.#engineOfJob(request);
        // The container is removed only after its outcome is journalled, so a missing one was never started.
        if (!(await hasStarted(engine, runner.name))) return this.#begin(request);
        return this.#jobEnded(request, engine, runner.name, timeoutOf(request, MAX_RUN_MS));
      }
      case 'repeatable':
        return this.#begin(request, runner.reached);
      case 'once':
        return this.#ledger.finish(
          request.execution_id,
          failure('The daemon was restarted while it called the component; the result is unknown.', 'unknown'),
        );
    }
  }
}

/** Returns the declared timeout; the request can only shorten it. */
function timeoutOf({ action }: ActionRequest, declaredMs: number): number {
  return Math.min(declaredMs, milliseconds(action.timeout) ?? declaredMs);
}

function listed(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}
