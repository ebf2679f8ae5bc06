import { nextTime, parseSchedule } from '@hortus/template/notation/schedule';
import type { Queries } from '../../../storage/storage.ts';
import { scheduledAfter } from '../../backups/public.ts';
import { type Finding, MAX_TITLE_LENGTH } from '../alerts/finding.ts';
import { clean } from '../text.ts';
import { minutesOf, type RulesByAccount } from './rules-by-account.ts';

const BATCH = 500;

/** Finds running instances whose newest backup is older than their schedule promises. */
export async function lateBackups(queries: Queries, rules: RulesByAccount, now: number): Promise<Finding[]> {
  const found: Finding[] = [];
  for (let after = ''; ; ) {
    const plans = await scheduledAfter(queries, after, BATCH);
    for (const plan of plans) {
      const schedule = parseSchedule(plan.schedule ?? '');
      if (schedule === undefined) continue;
      const last = Number(plan.newest ?? plan.instance_created_at);
      const promised = nextTime(schedule, last);
      if (promised === undefined || promised > now) continue;
      for (const rule of rules.of('backup_late', plan.account_id))
        found.push({
          ruleId: rule.id,
          accountId: rule.accountId,
          kind: rule.kind,
          subject: plan.definition_id,
          since: promised,
          holdMs: minutesOf(rule),
          title: clean(`The backup of ${plan.name} is late`, MAX_TITLE_LENGTH),
          text: plan.newest === null ? 'There is no backup yet.' : `The newest is of ${new Date(last).toISOString()}.`,
          fix: `hortus backups create ${plan.instance_id}`,
          resourceType: 'instance',
          resourceId: plan.instance_id,
          serverId: plan.server_id,
        });
    }
    const newest = plans.at(-1);
    if (!newest || plans.length < BATCH) return found;
    after = newest.definition_id;
  }
}
