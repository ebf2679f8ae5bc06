import type { Queries, Tx } from '../../storage/storage.ts';
import type { BuiltIn, BuiltInOrder, Settling } from '../actions/built-ins.ts';
import { countOfTenants, findMembership, type InstanceRow, lockLiving } from './store.ts';

/** What instances are to the tenants they belong to. */
export const instancesOfTenants = countOfTenants;
export const membershipOf = findMembership;

export interface PausesDeps {
  /** What an instance is about to be: the last built-in action of it that has not ended. */
  readonly lastWanted: (queries: Queries, instanceId: string) => Promise<Settling | undefined>;
  readonly order: (tx: Tx, order: BuiltInOrder) => Promise<unknown>;
  /** Takes back what has not been sent yet. */
  readonly withdraw: (tx: Tx, instanceId: string, slug: BuiltIn, actor: string | null) => Promise<void>;
}

/** A daemon may be away for long; what was decided meanwhile holds all the same when it is back. */
const START_WITHIN_MS = 30 * 24 * 3_600_000;

/** Running, as far as is known: a lost instance ran when it was last seen. */
export const up: readonly InstanceRow['status'][] = ['starting', 'running', 'restarting', 'lost'];

/** Stops the instances of a tenant and starts them again. The caller holds their definitions. */
export class Pauses {
  readonly #deps: PausesDeps;
  constructor(deps: PausesDeps) {
    this.#deps = deps;
  }

  /**
   * Answers the instance, if it ran or was about to: somebody who has ordered a stop that still waits does not want it back.
   * One that failed is stopped too, because its engine may be trying again and again. One that is down for data to be brought
   * back (`soon`) is stopped behind that: if that fails, its daemon has started it again.
   */
  async pause(tx: Tx, definitionId: string, actor: string | null, soon = false): Promise<string | undefined> {
    const { lastWanted, withdraw, order } = this.#deps;
    const instance = await lockLiving(tx, definitionId);
    if (!instance || instance.status === 'pending') return undefined;
    const wanted = await lastWanted(tx, instance.id);
    const staysDown = wanted === undefined && instance.status === 'stopped' && !soon;
    if (wanted === 'hortus.release' || staysDown) return undefined;
    for (const slug of ['hortus.start', 'hortus.restart'] as const) await withdraw(tx, instance.id, slug, actor);
    await order(tx, { instance, slug: 'hortus.stop', actor, startWithinMs: START_WITHIN_MS });
    const runs = wanted === undefined ? soon || up.includes(instance.status) : wanted !== 'hortus.stop';
    return runs ? instance.id : undefined;
  }

  /** One that has not been stopped yet goes on; starting it then changes nothing. */
  async unpause(tx: Tx, definitionId: string, among: ReadonlySet<string>, actor: string | null): Promise<void> {
    const instance = await lockLiving(tx, definitionId);
    if (!instance || !among.has(instance.id)) return;
    await this.#deps.withdraw(tx, instance.id, 'hortus.stop', actor);
    await this.#deps.order(tx, { instance, slug: 'hortus.start', actor, startWithinMs: START_WITHIN_MS });
  }
}
