import type { WatchedInstance } from '../../instances/public.ts';
import { type Finding, MAX_TITLE_LENGTH } from '../alerts/finding.ts';
import type { Rule } from '../rules/store.ts';
import { clean } from '../text.ts';
import { MINUTE_MS, minutesOf, type RulesByAccount } from './rules-by-account.ts';

/** An instance that is seen only while the engine waits to restart it has no countable restarts. */
const WAITING_MS = 2 * MINUTE_MS;

/** Finds instances that are unhealthy or have failed. */
export const unhealthy = (rules: RulesByAccount, troubled: readonly WatchedInstance[]): Finding[] =>
  troubled
    .filter(({ health, status }) => health === 'unhealthy' || status === 'failed')
    .flatMap((instance) =>
      rules.of('instance_unhealthy', instance.account_id).map((rule) => ({
        ...about(instance, rule),
        since: null,
        holdMs: minutesOf(rule),
        title: clean(
          `Instance ${instance.name} ${instance.status === 'failed' ? 'has failed' : 'is unhealthy'}`,
          MAX_TITLE_LENGTH,
        ),
        text: '',
        fix: `hortus instances show ${instance.id}`,
      })),
    );

/** Finds instances that restart in a loop. */
export function restarting(
  rules: RulesByAccount,
  restarted: readonly WatchedInstance[],
  troubled: readonly WatchedInstance[],
  now: number,
): Finding[] {
  const counted = restarted.flatMap((instance) =>
    rules.of('restart_loop', instance.account_id).flatMap((rule) => {
      const { restarts = Number.POSITIVE_INFINITY } = rule.thresholds;
      const starts = (JSON.parse(instance.starts) as number[]).filter((at) => at > now - minutesOf(rule));
      const [first] = starts;
      if (first === undefined || starts.length < restarts) return [];
      const text = `It restarted ${starts.length} times within ${rule.thresholds.minutes} minutes.`;
      return [{ ...loop(instance, rule), since: first, holdMs: 0, text }];
    }),
  );
  const waiting = troubled
    .filter(({ status }) => status === 'restarting')
    .flatMap((instance) =>
      rules
        .of('restart_loop', instance.account_id)
        .map((rule) => ({ ...loop(instance, rule), since: null, holdMs: WAITING_MS, text: '' })),
    );
  // The counted ones last: the evaluation takes the last finding of a subject.
  return [...waiting, ...counted];
}

const about = ({ id, server_id }: WatchedInstance, { id: ruleId, accountId, kind }: Rule) =>
  ({
    ruleId,
    accountId,
    kind,
    subject: id,
    resourceType: 'instance',
    resourceId: id,
    serverId: server_id,
  }) as const;

const loop = (instance: WatchedInstance, rule: Rule) => ({
  ...about(instance, rule),
  title: clean(`Instance ${instance.name} restarts in a loop`, MAX_TITLE_LENGTH),
  fix: `hortus instances show ${instance.id}`,
});
