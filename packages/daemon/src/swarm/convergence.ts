import { setTimeout as sleep } from 'node:timers/promises';
import type { Cluster, ServiceFacts, TaskFacts } from '../engine/cluster.ts';
import { label } from '../plan/labels.ts';
import { ImageProblem } from '../pull/image-problem.ts';
import { NotReady } from '../rollout/readiness.ts';

export interface Watched {
  cluster: Pick<Cluster, 'service' | 'tasks' | 'taskLogs'>;
  /** Id of the service. */
  service: string;
  component: string;
  /** Value of the config label on the tasks to wait for. */
  config: string;
  replicas: number;
  /** Whether the Swarm replaces running tasks, and so rolls back by itself. */
  isUpdate: boolean;
  /** Whether the service has run such tasks before; their failures are not of this change. */
  hasHistory: boolean;
  hasCheck: boolean;
  /** Waits for the Swarm to complete the update, even if its tasks look as wanted. */
  untilCompleted?: boolean;
  nodeName(id: string): string;
  say(level: 'info' | 'warn', message: string): void;
  progress(): void;
  signal: AbortSignal;
}

export interface Converged {
  tasks: TaskFacts[];
  /** Longest time without a running task; 0 if there always was one. */
  gapMs: number;
}

const POLL_EVERY_MS = 200;
/** Time that a task without a health check must run; enough to catch a missing command. */
const SETTLE_MS = 1_000;
const REPORTED_LINES = 30;
const FAILED: readonly string[] = ['failed', 'rejected'];
const ENDED: readonly string[] = [...FAILED, 'complete', 'shutdown', 'remove', 'orphaned'];
/** States in which the Swarm has ended an update without success. */
const GIVEN_UP: readonly string[] = ['rollback_completed', 'rollback_paused', 'paused'];

/**
 * Waits until the Swarm runs all tasks of a specification and none of another one. A new service fails with its first failed
 * task. For an update the Swarm decides: it rolls back by itself, which is waited for and then thrown as NotReady.
 */
export async function converge(watched: Watched): Promise<Converged> {
  const { cluster, service: id, component, config, replicas, isUpdate, hasCheck, signal } = watched;
  const report = new TaskReport(watched);
  const gap = new ServingGap();
  let former: Set<string> | undefined;
  for (;;) {
    const [service, tasks] = await Promise.all([cluster.service(id), cluster.tasks({ service: id })]);
    if (service === undefined) throw new NotReady('exited', `${component} was removed while it started`);
    former ??= new Set(watched.hasHistory ? tasks.filter(hasEnded).map((task) => task.id) : []);
    const ours = tasks.filter((task) => task.labels[label.config] === config && !former?.has(task.id));
    report.poll(ours);
    gap.poll(tasks);
    const broken = ours.filter(({ state }) => FAILED.includes(state)).sort((a, b) => b.at - a.at)[0];
    if (isUpdate && wasGivenUp(service, config)) throw await failureOf(watched, broken, service);
    if (!isUpdate && broken) throw await failureOf(watched, broken, service);
    const isWhole =
      report.running(hasCheck ? 0 : SETTLE_MS) === replicas && !tasks.some((task) => isOther(task, config));
    const state = service.update?.state;
    const isDone = !isUpdate || state === 'completed' || (state === undefined && !watched.untilCompleted);
    if (isWhole && isDone) return { tasks: ours.filter(isServing), gapMs: gap.maxMs };
    await sleep(POLL_EVERY_MS, undefined, { signal });
  }
}

/** Waits for the single task of a job to end, and throws unless its exit code is 0. */
export async function jobEnded(
  watched: Omit<Watched, 'replicas' | 'isUpdate' | 'hasHistory' | 'hasCheck'>,
): Promise<TaskFacts> {
  const { cluster, service: id, component, config, signal } = watched;
  const report = new TaskReport({ ...watched, replicas: 1 });
  for (;;) {
    const [service, tasks] = await Promise.all([cluster.service(id), cluster.tasks({ service: id })]);
    if (service === undefined) throw new NotReady('job_failed', `${component} was removed while it ran`);
    const ours = tasks.filter((task) => task.labels[label.config] === config);
    report.poll(ours);
    const ended = ours.find(({ state }) => state === 'complete');
    if (ended) return ended;
    const broken = ours.find(({ state }) => FAILED.includes(state));
    if (broken?.state === 'rejected') throw await failureOf(watched, broken, service);
    if (broken) {
      const message = `${component} exited with code ${broken.exitCode ?? 'unknown'}`;
      throw new NotReady('job_failed', message, await lastLines(watched, broken));
    }
    await sleep(POLL_EVERY_MS, undefined, { signal });
  }
}

const wasGivenUp = ({ labels, update }: ServiceFacts, config: string): boolean => {
  if (update && GIVEN_UP.includes(update.state)) return true;
  // Another specification was set meanwhile. While the Swarm rolls back, its result is awaited instead.
  return labels[label.config] !== config && update === undefined;
};

const hasEnded = ({ state }: TaskFacts): boolean => ENDED.includes(state);
const isServing = ({ state, desired }: TaskFacts): boolean => state === 'running' && desired === 'running';
const isOther = (task: TaskFacts, config: string): boolean => task.labels[label.config] !== config && !hasEnded(task);

async function failureOf(
  watched: Pick<Watched, 'cluster' | 'component' | 'nodeName'>,
  task: TaskFacts | undefined,
  { update }: ServiceFacts,
): Promise<Error> {
  const { component, nodeName } = watched;
  if (task === undefined) return new NotReady('unhealthy', `${component}: ${update?.message || 'the update failed'}`);
  const where = task.node === '' ? '' : ` on node ${nodeName(task.node)}`;
  if (/no such image|pull access denied|not found: manifest/i.test(task.error))
    return new ImageProblem(`${component}${where}: ${task.error}`);
  const lines = await lastLines(watched, task);
  if (/unhealthy/i.test(task.error))
    return new NotReady('unhealthy', `${component} did not become healthy${where}`, lines);
  const how = task.exitCode ? `exited with code ${task.exitCode} right after its start` : `failed: ${task.error}`;
  return new NotReady('exited', `${component} ${how}${where}`, lines);
}

async function lastLines({ cluster }: Pick<Watched, 'cluster'>, { id }: TaskFacts): Promise<string[]> {
  const text = (await cluster.taskLogs(id, { tail: REPORTED_LINES }).catch(() => '')).trimEnd();
  return text === '' ? [] : text.split(/\r?\n/);
}

/** Logs what happens to each task, once. */
class TaskReport {
  readonly #watched: Pick<Watched, 'component' | 'replicas' | 'nodeName' | 'say' | 'progress'>;
  readonly #seen = new Map<string, string>();
  /** When a task was first seen running. */
  readonly #since = new Map<string, number>();

  constructor(watched: Pick<Watched, 'component' | 'replicas' | 'nodeName' | 'say' | 'progress'>) {
    this.#watched = watched;
  }

  poll(tasks: readonly TaskFacts[]): void {
    for (const task of tasks) {
      if (!isServing(task)) this.#since.delete(task.id);
      else if (!this.#since.has(task.id)) this.#since.set(task.id, performance.now());
      const news = `${task.state} ${task.error}`;
      if (this.#seen.get(task.id) === news) continue;
      this.#seen.set(task.id, news);
      this.#watched.progress();
      this.#notify(task);
    }
  }

  /** Number of tasks that have been running for this long. */
  running(forMs: number): number {
    return [...this.#since.values()].filter((since) => performance.now() - since >= forMs).length;
  }

  #notify({ state, node, error }: TaskFacts): void {
    const { component, replicas, nodeName, say } = this.#watched;
    const where = node === '' ? '' : ` on node ${nodeName(node)}`;
    if (state === 'running' && replicas > 1)
      say('info', `${component}: ${this.running(0)} of ${replicas} tasks run${where}`);
    else if (FAILED.includes(state))
      say('warn', `${component}: a task ${state === 'failed' ? 'failed' : 'was rejected'}${where}: ${error}`);
    else if (state === 'pending' && error !== '') say('warn', `${component}: a task waits for a node: ${error}`);
  }
}

/** Measures how long no task of a service ran, between two looks at best. */
class ServingGap {
  #since: number | undefined;
  #hasServed = false;
  maxMs = 0;

  poll(tasks: readonly TaskFacts[]): void {
    const now = performance.now();
    const serves = tasks.some(({ state, desired }) => state === 'running' && desired !== 'remove');
    if (serves) {
      if (this.#since !== undefined) this.maxMs = Math.max(this.maxMs, Math.round(now - this.#since));
      this.#since = undefined;
      this.#hasServed = true;
    } else if (this.#hasServed) this.#since ??= now;
  }
}
