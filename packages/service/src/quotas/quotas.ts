import { type QuotaName, quotaNames, type Quotas as Usage } from '@hortus/contract/resources/quotas';
import type { Principal } from '../identity/principal.ts';
import { conflict } from '../problem.ts';
import type { Queries, Tx } from '../storage/storage.ts';
import type { PlanLimits } from './limits.ts';
import { type Counted, countUsed, holdAccount, planOf, usedOf } from './store.ts';

type Owner = Pick<Principal, 'accountId' | 'plan'>;
type Creator = Pick<Principal, 'accountId'>;

/** Throws if the plan of the account allows no more records. Called in the transaction that creates one. */
export type RequireRoom = (tx: Tx, creator: Creator, name: Counted) => Promise<void>;

/**
 * An account this far below its limit is not counted for each creation: rate limits keep it from reaching the limit
 * unnoticed.
 */
const FAR = 1_000;
const RECOUNT_AFTER_MS = 1_000;

/** Enforces the quotas of accounts, by plan. */
export class Quotas {
  readonly #limits: PlanLimits;
  /** Accounts that were far below a limit when last counted, and how long that is trusted. */
  readonly #far = new Map<string, { readonly until: number; left: number }>();

  constructor(limits: PlanLimits) {
    this.#limits = limits;
  }

  limitOf(plan: Owner['plan'], name: QuotaName): number {
    return this.#limits[plan][name];
  }

  /**
   * Throws if the limit is reached. Near the limit, creations of one account are serialized, so that two cannot exceed
   * it together. Reads the plan of the account, because the principal that carries out a garden run or an import stands
   * for someone whose request has ended.
   */
  async requireRoom(tx: Tx, { accountId }: Creator, name: Counted): Promise<void> {
    const key = `${accountId} ${name}`;
    const far = this.#far.get(key);
    if (far && far.until > tx.now && far.left-- > 0) return;
    this.#far.delete(key);
    const plan = await planOf(tx, accountId);
    const limit = this.limitOf(plan, name);
    const count = () => countUsed(tx, accountId, name, { now: tx.now, atMost: limit });
    if (limit > FAR && limit - (await count()) > FAR) {
      this.#far.set(key, { until: tx.now + RECOUNT_AFTER_MS, left: FAR / 2 });
      return;
    }
    await holdAccount(tx, accountId);
    const used = await count();
    if (used < limit) return;
    throw conflict(
      name,
      'quota',
      `the plan ${plan} allows ${limit}, and all of them are in use; remove one, or change the plan.`,
      { limit, used },
    );
  }

  async usage(queries: Queries, { accountId, plan }: Owner, now: number): Promise<Usage> {
    const limits = this.#limits[plan];
    const { output_bytes: _, ...rows } = limits;
    const used = await usedOf(queries, accountId, { now, atMost: Math.max(100_000, ...Object.values(rows)) });
    return Object.fromEntries(quotaNames.map((name) => [name, { used: used[name], limit: limits[name] }])) as Usage;
  }
}
