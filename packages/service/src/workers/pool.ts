import { Worker } from 'node:worker_threads';
import { invalid, Problem } from '../problem.ts';
import type { Guard } from '../process/guard.ts';
import type { JobOwner, Work } from './job.ts';
import type { Order, Reply } from './protocol.ts';
import { Waiting } from './waiting.ts';

export interface PoolLimits {
  readonly threads: number;
  /** CPU time of one job. */
  readonly cpuMs: number;
  /** Wall time of one job, for a thread that gets no CPU or waits forever. */
  readonly wallMs: number;
  readonly heapMb: number;
  /** Idle time after which a thread ends. */
  readonly idleMs: number;
}

export interface ClosableWork extends Work {
  close(): Promise<void>;
}

const POOL_LIMITS: PoolLimits = { threads: 2, cpuMs: 2_000, wallMs: 60_000, heapMb: 192, idleMs: 60_000 };

const CHECK_EVERY_MS = 100;

interface Job extends Order {
  readonly owner: JobOwner;
  readonly done: (value: unknown) => void;
  readonly fail: (error: unknown) => void;
}

interface Thread {
  readonly worker: Worker;
  job: Job | undefined;
  /** When its job started, or when it became idle. */
  since: number;
  /** CPU time up to its last reply. */
  cpuMs: number;
  ready: boolean;
}

/**
 * A few threads for user input: templates, Compose files, patterns, large bodies. Threads start on demand. An account
 * never has all of them, so that it cannot block the others. A job that exceeds a limit of time or memory is refused
 * with 422, and its thread is replaced.
 */
export class WorkerPool implements ClosableWork {
  readonly #program: URL;
  readonly #guard: Guard;
  readonly #limits: PoolLimits;
  readonly #threads = new Set<Thread>();
  readonly #waiting: Waiting<Job>;
  #watch: NodeJS.Timeout | undefined;
  #closed = false;

  /** `program` is the module of a thread; it calls `serveJobs`. */
  constructor(program: URL, guard: Guard, limits: Partial<PoolLimits> = {}) {
    this.#program = program;
    this.#guard = guard;
    this.#limits = { ...POOL_LIMITS, ...limits };
    this.#waiting = new Waiting(Math.max(1, this.#limits.threads - 1));
  }

  run: Work['run'] = ({ name }, owner, ...args) =>
    new Promise((done, fail) => {
      if (this.#closed) throw new Problem('RATE_LIMITED', 'The service is stopping.', { retry_after: 5 });
      const job: Job = { name, args, field: owner.field, owner, done: done as Job['done'], fail };
      if (!this.#waiting.add(owner.account, job)) throw tooMany();
      this.#assign();
    });

  /** Ends running jobs: at shutdown no request waits for their results. */
  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#watch);
    await Promise.all([...this.#threads].map((thread) => this.#end(thread, stopped())));
    for (const job of this.#waiting.clear()) job.fail(stopped());
  }

  #assign(): void {
    while (!this.#closed) {
      const idle = [...this.#threads].find(({ job, ready }) => ready && job === undefined);
      if (!idle) break;
      const job = this.#waiting.take();
      if (!job) return;
      this.#begin(idle, job);
    }
    const starting = [...this.#threads].filter(({ ready }) => !ready).length;
    if (this.#waiting.startable > starting && this.#threads.size < this.#limits.threads) this.#start();
  }

  #begin(thread: Thread, job: Job): void {
    thread.job = job;
    thread.since = performance.now();
    const { name, args, field } = job;
    try {
      thread.worker.postMessage({ name, args, field } satisfies Order, args.flatMap(ownMemory));
    } catch (error) {
      this.#settle(thread, () => job.fail(error));
    }
  }

  #start(): void {
    const worker = new Worker(this.#program, {
      // Flags of a debugger or test runner are only for the main thread.
      execArgv: [],
      env: {},
      resourceLimits: { maxOldGenerationSizeMb: this.#limits.heapMb, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 },
    });
    worker.unref();
    const thread: Thread = { worker, job: undefined, since: performance.now(), cpuMs: 0, ready: false };
    this.#threads.add(thread);
    const onReceived = (reply: Reply) => this.#received(thread, reply);
    const broke = (error: NodeJS.ErrnoException) => this.#broke(thread, error);
    const end = () => void this.#end(thread, new Error('A thread of the pool failed.'));
    worker.on('message', this.#guard(onReceived, end));
    worker.on('error', this.#guard(broke, end));
    const inspect = () => this.#inspect();
    this.#watch ??= setInterval(this.#guard(inspect), CHECK_EVERY_MS).unref();
  }

  #received(thread: Thread, reply: Reply): void {
    thread.cpuMs = reply.cpuMs;
    thread.ready = true;
    const { job } = thread;
    this.#settle(thread, () => {
      if ('value' in reply) job?.done(reply.value);
      else if ('error' in reply) job?.fail(reply.error);
      else if ('problem' in reply)
        job?.fail(new Problem(reply.problem.code, reply.problem.message, reply.problem.details));
    });
  }

  #broke(thread: Thread, error: NodeJS.ErrnoException): void {
    const isMemory = error.code === 'ERR_WORKER_OUT_OF_MEMORY';
    const reason = thread.job && isMemory ? overMemory(thread.job) : error;
    // If a thread cannot start, the waiting jobs must fail instead of hanging.
    if (!thread.ready) for (const job of this.#waiting.clear()) job.fail(error);
    void this.#end(thread, reason);
    this.#assign();
  }

  /** Removes the job from the thread, answers, and starts the next one. */
  #settle(thread: Thread, respond: () => void): void {
    if (thread.job) this.#waiting.free(thread.job.owner.account);
    thread.job = undefined;
    thread.since = performance.now();
    respond();
    this.#assign();
  }

  async #end(thread: Thread, reason: unknown): Promise<void> {
    if (!this.#threads.delete(thread)) return;
    if (thread.job) this.#waiting.free(thread.job.owner.account);
    thread.job?.fail(reason);
    thread.job = undefined;
    await thread.worker.terminate();
  }

  #inspect(): void {
    const now = performance.now();
    for (const thread of this.#threads) {
      const passed = now - thread.since;
      if (thread.job) void this.#limit(thread, thread.job, passed);
      else if (thread.ready && passed > this.#limits.idleMs) void this.#end(thread, undefined);
    }
    if (this.#threads.size > 0) return;
    clearInterval(this.#watch);
    this.#watch = undefined;
  }

  async #limit(thread: Thread, job: Job, passed: number): Promise<void> {
    const { cpuMs, wallMs } = this.#limits;
    // CPU time cannot exceed the elapsed time.
    if (passed < cpuMs) return;
    if (passed < wallMs && (await cpuTime(thread.worker)) - thread.cpuMs < cpuMs) return;
    if (thread.job !== job) return;
    void this.#end(thread, overTime(job));
    this.#assign();
  }
}

/** Bytes that share their memory with nothing else are moved to the thread instead of copied. */
function ownMemory(arg: unknown): ArrayBuffer[] {
  if (!(arg instanceof Uint8Array) || !(arg.buffer instanceof ArrayBuffer)) return [];
  return arg.byteLength === arg.buffer.byteLength ? [arg.buffer] : [];
}

/** Returns zero if the thread has just ended. */
async function cpuTime(worker: Worker): Promise<number> {
  try {
    const { user, system } = await worker.cpuUsage();
    return (user + system) / 1_000;
  } catch {
    return 0;
  }
}

const overTime = ({ field }: Job) =>
  invalid(field, 'takes too long to process; make it smaller or simpler.', { reason: 'too_costly' });
const overMemory = ({ field }: Job) =>
  invalid(field, 'needs too much memory to process; make it smaller or simpler.', { reason: 'too_costly' });
const stopped = () => new Error('The service was stopped while the job ran.');
const tooMany = () =>
  new Problem('RATE_LIMITED', 'Too many requests of this account wait to be processed.', { retry_after: 2 });
