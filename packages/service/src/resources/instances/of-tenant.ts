import { type BuiltIn, builtIn, type Settling } from '@hortus/contract/actions/built-in-actions';
import type { Queries, Tx } from '../../storage/storage.ts';
import type { BuiltInOrder } from './built-in-order.ts';
import { type InstanceRow, lockLiving } from './store.ts';

export interface PausesDeps {
  /** Finds the last unfinished action that sets the state of the instance. */
  readonly lastWanted: (queries: Queries, instanceId: string) => Promise<Settling | undefined>;
  readonly order: (tx: Tx, order: BuiltInOrder) => Promise<unknown>;
  /** Cancels actions that have not been sent. */
  readonly withdraw: (tx: Tx, instanceId: string, slug: BuiltIn, actor: string | null) => Promise<void>;
}

/** A server may be offline for long; the order waits this long for it. */
const START_WITHIN_MS = 30 * 24 * 3_600_000;

/** Presumed running: a lost instance ran when it was last seen. */
export const up: readonly InstanceRow['status'][] = ['starting', 'running', 'restarting', 'lost'];

/** Stops the instances of a tenant and starts them again. The caller has locked their definitions. */
export class Pauses {
  readonly #deps: PausesDeps;
  constructor(deps: PausesDeps) {
    this.#deps = deps;
  }

  /**
   * Stops an instance; returns its id if it ran or was about to, so that it is started again later. One with a pending
   * stop is not started again. A failed one is stopped too, because Docker may keep restarting it. One that is down for
   * a restore (`soon`) is stopped after that, since a failed restore starts it again.
   */
  async pause(tx: Tx, definitionId: string, actor: string | null, soon = false): Promise<string | undefined> {
    const { lastWanted, withdraw, order } = this.#deps;
    const instance = await lockLiving(tx, definitionId);
    if (!instance || instance.status === 'pending') return undefined;
    const wanted = await lastWanted(tx, instance.id);
    const staysDown = wanted === undefined && instance.status === 'stopped' && !soon;
    if (wanted === builtIn.release || staysDown) return undefined;
    for (const slug of [builtIn.start, builtIn.restart] as const) await withdraw(tx, instance.id, slug, actor);
    await order(tx, { instance, slug: builtIn.stop, actor, startWithinMs: START_WITHIN_MS });
    const runs = wanted === undefined ? soon || up.includes(instance.status) : wanted !== builtIn.stop;
    return runs ? instance.id : undefined;
  }

  /** Starts an instance again. If its stop was not sent yet it keeps running, and starting it changes nothing. */
  async unpause(tx: Tx, definitionId: string, among: ReadonlySet<string>, actor: string | null): Promise<void> {
    const instance = await lockLiving(tx, definitionId);
    if (!instance || !among.has(instance.id)) return;
    await this.#deps.withdraw(tx, instance.id, builtIn.stop, actor);
    await this.#deps.order(tx, { instance, slug: builtIn.start, actor, startWithinMs: START_WITHIN_MS });
  }
}
