import { enqueue } from '../../../jobs/enqueue.ts';
import type { EventSubscriber } from '../../../outbox/dispatcher.ts';
import { accountsWithOpen } from '../alerts/store.ts';
import { EVENTS, type NewEvents } from '../jobs.ts';
import { activeRules } from '../rules/store.ts';
import { closing, followed, opening } from './meaning.ts';
import { matches } from './patterns.ts';

/**
 * Wakes the rules of accounts whose events may concern them. Runs in the transaction that numbers the events, so it
 * only reads a little; the job does the work.
 */
export const wakeRules: EventSubscriber = async (tx, events) => {
  const accounts = [...new Set(events.map(({ account_id }) => account_id))];
  if (accounts.length === 0) return;
  const ending = [...new Set(events.filter(({ type }) => closing.has(type)).map(({ account_id }) => account_id))];
  const open = ending.length === 0 ? new Set<string>() : await accountsWithOpen(tx, ending, followed);
  const custom = Map.groupBy(await activeRules(tx, ['event'], accounts), ({ accountId }) => accountId);
  const concerns = ({ type, account_id }: (typeof events)[number]) =>
    opening.has(type) ||
    (closing.has(type) && open.has(account_id)) ||
    (custom.get(account_id) ?? []).some(({ thresholds }) =>
      (thresholds.types ?? []).some((pattern) => matches(pattern, type)),
    );
  const first = new Map<string, number>();
  for (const event of events)
    if (!first.has(event.account_id) && concerns(event)) first.set(event.account_id, event.seq);
  for (const [account_id, from_seq] of first)
    await enqueue(tx, { kind: EVENTS, key: account_id, payload: { account_id, from_seq } satisfies NewEvents });
};
