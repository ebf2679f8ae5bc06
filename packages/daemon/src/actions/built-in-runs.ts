import { wrongParam } from '@hortus/contract/actions/built-in-params';
import { Slots, type Turns } from '../concurrency/turns.ts';
import type { Engine } from '../engine/engine.ts';
import { type ActionRequest, failure } from '../journal/action.ts';
import type { Journal } from '../journal/journal.ts';
import { runOnInstance } from './built-in.ts';
import type { BuiltInHandlers } from './handlers.ts';
import { instanceOf } from './instance-of.ts';
import type { Ledger } from './ledger.ts';

export interface BuiltInOptions {
  engine: Engine;
  journal: Journal;
  turns: Turns;
  builtIns: BuiltInHandlers;
  /** Aborts transfers to this server for an instance. */
  abandon(uid: string): Promise<void>;
  /** Removes the routes of an instance. */
  unroute(uid: string): Promise<void>;
}

/** Parallel built-in actions on the engine. With many more, calls of a busy engine time out. */
const AT_ONCE = 8;

/** Runs built-in actions; those of an instance one at a time. */
export class BuiltInRuns {
  readonly #options: BuiltInOptions;
  readonly #ledger: Ledger;
  readonly #stopped: AbortSignal;
  readonly #slots = new Slots(AT_ONCE);

  constructor(options: BuiltInOptions, ledger: Ledger, stopped: AbortSignal) {
    this.#options = options;
    this.#ledger = ledger;
    this.#stopped = stopped;
  }

  async run(request: ActionRequest, reached?: unknown): Promise<void> {
    const { slug } = request.action;
    const wrong = wrongParam(slug, request.params);
    if (wrong !== undefined) {
      this.#ledger.start(request, { kind: 'repeatable' });
      return this.#ledger.finish(request.execution_id, failure(`${slug}: ${wrong}`));
    }
    const { server } = this.#options.builtIns;
    const handler = Object.hasOwn(server, slug) ? server[slug] : undefined;
    if (handler === undefined) return this.#onInstance(request, reached);
    // It concerns no single instance, so it does not wait for operations on instances.
    this.#ledger.start(request, { kind: 'repeatable' });
    this.#ledger.finish(request.execution_id, await handler(request.params));
  }

  async #onInstance(request: ActionRequest, reached?: unknown): Promise<void> {
    const { engine, journal, turns, builtIns } = this.#options;
    const { backups, instance } = builtIns;
    journal.executions.receive(request, Date.now());
    const { slug } = request.action;
    const uid = await instanceOf(this.#options, request);
    // Backups may take hours, so they do not occupy a slot.
    const slots = backups.has(slug) ? undefined : this.#slots;
    const work = async () => {
      if (this.#stopped.aborted) return;
      this.#ledger.start(request, { kind: 'repeatable', reached });
      const reach = (point: unknown) => this.#ledger.start(request, { kind: 'repeatable', reached: point });
      const manifest = journal.manifests.of(uid);
      const unroute = () => this.#options.unroute(uid);
      const forget = async () => {
        journal.manifests.forget(uid);
        await unroute();
      };
      const abandon = () => this.#options.abandon(uid);
      const run = { id: request.execution_id, uid, params: request.params, reached, reach };
      const handler = Object.hasOwn(instance, slug) ? instance[slug] : undefined;
      const outcome = backups.has(slug)
        ? await backups.run(slug, run)
        : handler === undefined
          ? failure(`This daemon has no built-in action ${slug}.`)
          : await runOnInstance(slug, handler, {
              engine,
              uid,
              manifest,
              params: request.params,
              unroute,
              forget,
              abandon,
            });
      // Suspended with the leadership of the cluster.
      if (outcome === undefined) return;
      // The next start of the daemon resumes actions that its shutdown aborted.
      if (!(outcome.outcome === 'cancelled' && this.#stopped.aborted))
        this.#ledger.finish(request.execution_id, outcome);
    };
    await turns.take(backups.turnOf(slug, uid), () => (slots ? slots.run(work) : work()));
  }
}
