import { type QuotaName, quotaNames, type Quotas as Usage } from '@hortus/contract/resources/quotas';
import type { Principal } from '../identity/principal.ts';
import { conflict } from '../problem.ts';
import type { Queries, Tx } from '../storage/storage.ts';
import type { PlanLimits } from './limits.ts';
import { type Counted, countUsed, holdAccount, storedBytes } from './store.ts';

type Owner = Pick<Principal, 'accountId' | 'plan'>;

/** Throws if the plan of the account allows no more of these. Called in the transaction that creates one. */
export type RequireRoom = (tx: Tx, owner: Owner, name: Counted) => Promise<void>;

/** So far from its limit an account is not counted again for each creation: rate limits keep it from getting there unseen. */
const FAR = 1_000;
const RECOUNT_AFTER_MS = 1_000;

/** The limits of accounts, by plan. */
export class Quotas {
  readonly #limits: PlanLimits;
  /** Accounts that were far from a limit when they were last counted, and until when that is believed. */
  readonly #far = new Map<string, { readonly until: number; left: number }>();

  constructor(limits: PlanLimits) {
    this.#limits = limits;
  }

  limitOf(plan: Owner['plan'], name: QuotaName): number {
    return this.#limits[plan][name];
  }

  /** Near the limit creations of one account take turns, so that two cannot pass it together. */
  async requireRoom(tx: Tx, { accountId, plan }: Owner, name: Counted): Promise<void> {
    const key = `${accountId} ${plan} ${name}`;
    const far = this.#far.get(key);
    if (far && far.until > tx.now && far.left-- > 0) return;
    this.#far.delete(key);
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
      `the plan ${plan} allows ${limit}, and all of them are in use; remove one, or ask for another plan.`,
      { limit, used },
    );
  }

  async usage(queries: Queries, { accountId, plan }: Owner, now: number): Promise<Usage> {
    const used = (name: QuotaName, limit: number) =>
      name === 'output_bytes'
        ? storedBytes(queries, accountId)
        : countUsed(queries, accountId, name, { now, atMost: Math.max(limit, 100_000) });
    const entries: [QuotaName, Usage[QuotaName]][] = [];
    for (const name of quotaNames) {
      const limit = this.limitOf(plan, name);
      entries.push([name, { used: await used(name, limit), limit }]);
    }
    return Object.fromEntries(entries) as Usage;
  }
}
