import type { JobKind } from '../../../jobs/job.ts';
import type { Storage, Tx } from '../../../storage/storage.ts';
import { findName } from '../../definitions/public.ts';
import { type EventRow, eventList } from '../../events/public.ts';
import { type Finding, MAX_TEXT_LENGTH, MAX_TITLE_LENGTH } from '../alerts/finding.ts';
import { Raising } from '../alerts/raising.ts';
import { lockUnresolvedAt } from '../alerts/store.ts';
import { RulesByAccount } from '../conditions/rules-by-account.ts';
import type { NewEvents } from '../jobs.ts';
import type { Rules } from '../rules/service.ts';
import { activeRules, lockCursor, type Rule, saveCursor } from '../rules/store.ts';
import { clean } from '../text.ts';
import { followed, type Meaning, meaningsOf } from './meaning.ts';
import { matches } from './patterns.ts';

export interface EventsDeps {
  readonly storage: Storage;
  readonly rules: Pick<Rules, 'ensurePresets'>;
  /** Time that a message waits for further alerts. */
  readonly groupingMs: number;
}

const BATCH = 200;

/**
 * Applies the rules of an account to its new events. The cursor moves in the same transaction as the alerts, so that
 * each event counts once.
 */
export const eventsJob = ({ storage, rules, groupingMs }: EventsDeps): JobKind => ({
  maxAttempts: Number.POSITIVE_INFINITY,
  run: ({ job, complete }) =>
    storage.write(async (tx) => {
      const { account_id: accountId, from_seq } = job.payload as NewEvents;
      await rules.ensurePresets(tx, accountId);
      const after = Math.max(await lockCursor(tx, accountId), from_seq - 1);
      const events = await eventList(tx, { accountId, after }).rows(BATCH, 0);
      const last = events.at(-1);
      if (!last) return await complete(tx);
      const active = new RulesByAccount(await activeRules(tx, [...followed, 'event'], [accountId]));
      const raising = new Raising(tx, groupingMs);
      for (const event of events) {
        const data = JSON.parse(event.data) as Record<string, unknown>;
        for (const meaning of meaningsOf(event, data))
          for (const rule of active.of(meaning.kind, accountId)) await follow(tx, raising, rule, event, meaning);
        for (const rule of active.of('event', accountId))
          if (rule.thresholds.types?.some((pattern) => matches(pattern, event.type)))
            await report(raising, rule, event, data);
      }
      await saveCursor(tx, accountId, last.seq);
      return await complete(tx, events.length < BATCH ? 'done' : { again: tx.now });
    }),
});

/** Opens, repeats or resolves the alert of a rule about a subject. */
async function follow(tx: Tx, raising: Raising, rule: Rule, event: EventRow, meaning: Meaning): Promise<void> {
  const alert = await lockUnresolvedAt(tx, rule.id, meaning.subject);
  if (!meaning.wrong) {
    if (alert) await raising.resolve(alert);
    return;
  }
  if (alert && !meaning.again) return;
  const definition = await findName(tx, rule.accountId, meaning.subject);
  // Deploy tests report to their template.
  if (!definition || definition.test_id !== null) return;
  const finding: Finding = {
    ...ofRule(rule),
    subject: meaning.subject,
    since: event.created_at,
    title: clean(meaning.title?.(definition.name) ?? meaning.kind, MAX_TITLE_LENGTH),
    text: clean(meaning.text ?? '', MAX_TEXT_LENGTH),
    fix: meaning.fix ?? '',
    resourceType: 'definition',
    resourceId: meaning.subject,
    serverId: definition.server_id,
  };
  if (alert) await raising.repeat(alert, finding, rule.channelIds);
  else await raising.open({ finding, since: event.created_at, alert: undefined }, rule.channelIds);
}

/** Reports an event once: it is over as soon as it has happened. */
async function report(raising: Raising, rule: Rule, event: EventRow, data: Record<string, unknown>): Promise<void> {
  const named = [data.name, data.instance_uid, data.container_name].find((item) => typeof item === 'string');
  const finding: Finding = {
    ...ofRule(rule),
    subject: event.id,
    since: event.created_at,
    title: clean(`Event ${event.type}: ${named ?? `${event.resource_type} ${event.resource_id}`}`, MAX_TITLE_LENGTH),
    text: clean(event.actor === null ? '' : `Caused by ${event.actor}.`, MAX_TEXT_LENGTH),
    fix: `hortus events --of ${event.resource_id}`,
    resourceType: 'event',
    resourceId: event.resource_id,
    serverId: null,
  };
  const alert = await raising.open({ finding, since: event.created_at, alert: undefined }, rule.channelIds);
  await raising.resolve(alert, { silently: true });
}

const ofRule = ({ id, accountId, kind }: Rule) => ({ ruleId: id, accountId, kind, holdMs: 0 });
