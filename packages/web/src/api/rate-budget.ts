/**
 * What the last answer said about the rate limit of the account. Automatic refreshes leave the rest of the
 * budget to the person, so that browsing never meets a 429.
 */
let budget = { limit: Number.POSITIVE_INFINITY, remaining: Number.POSITIVE_INFINITY, resetAt: 0 };

export function noteRate(headers: Headers): void {
  const [limit, remaining, reset] = ['limit', 'remaining', 'reset'].map((name) => headers.get(`x-ratelimit-${name}`));
  if (limit == null || remaining == null || reset == null) return;
  budget = { limit: Number(limit), remaining: Number(remaining), resetAt: Number(reset) * 1000 };
}

/** Tells whether a refresh in the background may use a request now: only while half of the budget is left. */
export const mayRefresh = (now = Date.now()): boolean => now >= budget.resetAt || budget.remaining > budget.limit / 2;

/** The budget as of the last answer; undefined before the first one. */
export const rateNow = (): typeof budget | undefined => (Number.isFinite(budget.limit) ? budget : undefined);
