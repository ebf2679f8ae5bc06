import type { Queries } from '../../../storage/storage.ts';
import { availableAfter } from '../../upgrades/public.ts';
import { type Finding, MAX_TITLE_LENGTH } from '../alerts/finding.ts';
import { clean } from '../text.ts';
import type { RulesByAccount } from './rules-by-account.ts';

const BATCH = 500;

/** Finds available upgrades. Each is a subject of its own, because a newer version replaces the upgrade. */
export async function upgradable(queries: Queries, rules: RulesByAccount): Promise<Finding[]> {
  const found: Finding[] = [];
  for (const accountId of new Set(rules.all('upgrade_available').map((rule) => rule.accountId)))
    for (let after = ''; ; ) {
      const batch = await availableAfter(queries, accountId, after, BATCH);
      for (const upgrade of batch)
        for (const rule of rules.of('upgrade_available', accountId))
          found.push({
            ruleId: rule.id,
            accountId,
            kind: rule.kind,
            subject: upgrade.id,
            since: upgrade.created_at,
            holdMs: 0,
            title: clean(`An upgrade of ${upgrade.name} is available`, MAX_TITLE_LENGTH),
            text: `Template ${upgrade.species}.`,
            fix: `hortus upgrades apply ${upgrade.id}`,
            resourceType: 'instance',
            resourceId: upgrade.instance_id,
            serverId: upgrade.server_id,
          });
      const last = batch.at(-1);
      if (!last || batch.length < BATCH) break;
      after = last.id;
    }
  return found;
}
