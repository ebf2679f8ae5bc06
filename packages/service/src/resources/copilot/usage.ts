import type { AssistantUsage } from '@hortus/contract/resources/copilot';
import { type Principal, userOf } from '../../identity/principal.ts';
import { Problem } from '../../problem.ts';
import { iso } from '../../records/time.ts';
import type { Storage } from '../../storage/storage.ts';
import { addUsage, findUsage, holdUsage, type UsageKey, type UsageRow } from './store.ts';

/** Questions a month that each user may ask, by the plan of the account. */
export type QuestionLimits = Readonly<Record<Principal['plan'], number>>;

/** Counts and limits the questions of each user per month (UTC). */
export class UsageMeter {
  readonly #storage: Storage;
  readonly #limits: QuestionLimits;
  constructor(storage: Storage, limits: QuestionLimits) {
    this.#storage = storage;
    this.#limits = limits;
  }

  async read(principal: Principal): Promise<AssistantUsage> {
    const now = Date.now();
    return this.#shown(principal, now, await findUsage(this.#storage.reader, keyOf(principal, now)));
  }

  /** Counts the question before it is answered, so that a disconnect does not make it free. */
  begin(principal: Principal): Promise<AssistantUsage> {
    return this.#storage.write(async (tx) => {
      const key = keyOf(principal, tx.now);
      const row = await holdUsage(tx, key);
      const limit = this.#limits[principal.plan];
      if (row.questions >= limit) {
        const retry_after = Math.ceil((nextMonth(tx.now) - tx.now) / 1000);
        const message = `The limit of ${limit} questions for this month is reached; ask again next month.`;
        throw new Problem('RATE_LIMITED', message, { limit, retry_after, reason: 'assistant_limit' });
      }
      await addUsage(tx, key, { questions: 1, prompt_tokens: 0, answer_tokens: 0 });
      return this.#shown(principal, tx.now, { ...row, questions: row.questions + 1 });
    });
  }

  async tokens(principal: Principal, prompt_tokens: number, answer_tokens: number): Promise<void> {
    if (prompt_tokens + answer_tokens === 0) return;
    await this.#storage.write(async (tx) => {
      const key = keyOf(principal, tx.now);
      await holdUsage(tx, key);
      await addUsage(tx, key, { questions: 0, prompt_tokens, answer_tokens });
    });
  }

  #shown(principal: Principal, now: number, row: UsageRow | undefined): AssistantUsage {
    const limit = this.#limits[principal.plan];
    const questions = row?.questions ?? 0;
    return {
      month: monthOf(now),
      questions,
      limit,
      remaining: Math.max(0, limit - questions),
      prompt_tokens: row?.prompt_tokens ?? 0,
      answer_tokens: row?.answer_tokens ?? 0,
      resets_at: iso(nextMonth(now)),
    };
  }
}

/** Counts per person across all keys; keys without a user share one allowance per account. */
const keyOf = (principal: Principal, now: number): UsageKey => ({
  account_id: principal.accountId,
  asker: userOf(principal) ?? principal.accountId,
  month: monthOf(now),
});

const monthOf = (now: number): string => new Date(now).toISOString().slice(0, 7);

const nextMonth = (now: number): number => {
  const date = new Date(now);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1);
};
