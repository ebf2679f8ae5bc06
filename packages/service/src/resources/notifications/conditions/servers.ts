import type { Queries } from '../../../storage/storage.ts';
import { fullServers } from '../../capacity/public.ts';
import { livingWithNamesOn } from '../../instances/public.ts';
import type { offlineServers } from '../../servers/public.ts';
import { type Finding, MAX_TEXT_LENGTH, MAX_TITLE_LENGTH } from '../alerts/finding.ts';
import type { Rule } from '../rules/store.ts';
import { clean } from '../text.ts';
import { minutesOf, type RulesByAccount } from './rules-by-account.ts';

type OfflineServer = Awaited<ReturnType<typeof offlineServers>>[number];

/** A full disk must fall below the threshold by so many percent before its alert ends. */
const SLACK_PERCENT = 2;
const MAX_NAMES = 10;

/** Finds servers that are offline. Their instances are named in the same alert and have none of their own. */
export async function offline(
  queries: Queries,
  rules: RulesByAccount,
  servers: readonly OfflineServer[],
  now: number,
): Promise<Finding[]> {
  const found: Finding[] = [];
  for (const { id, account_id, name, last_seen_at } of servers) {
    const since = last_seen_at ?? now;
    for (const rule of rules.of('server_offline', account_id)) {
      const due = since + minutesOf(rule) <= now;
      found.push({
        ...about(id, rule),
        since,
        holdMs: minutesOf(rule),
        title: clean(`Server ${name} is offline`, MAX_TITLE_LENGTH),
        // Names are read only for alerts that may be opened now.
        text: due ? await instancesOn(queries, id) : '',
        fix: `hortus servers show ${id}; on the server: systemctl status hortusd`,
      });
    }
  }
  return found;
}

async function instancesOn(queries: Queries, serverId: string): Promise<string> {
  const names = (await livingWithNamesOn(queries, serverId)).map(({ name }) => name);
  if (names.length === 0) return 'No instances run there.';
  const shown = names.slice(0, MAX_NAMES).map((name) => clean(name, 50));
  const more = names.length > shown.length ? ` and ${names.length - shown.length} more` : '';
  return clean(
    `${names.length === 1 ? 'Its instance is' : `Its ${names.length} instances are`} not visible: ${shown.join(', ')}${more}.`,
    MAX_TEXT_LENGTH,
  );
}

/** Finds servers with too little disk or memory left. `isOpen` tells whether a rule has an open alert for a server. */
export async function full(
  queries: Queries,
  rules: RulesByAccount,
  isOpen: (ruleId: string, serverId: string) => boolean,
): Promise<Finding[]> {
  const min = (kind: 'disk_above' | 'memory_above') =>
    Math.min(...rules.all(kind).map(({ thresholds }) => (thresholds.percent ?? 100) - SLACK_PERCENT), 1_000);
  const lowest = { disk: min('disk_above'), memory: min('memory_above') };
  if (Math.min(lowest.disk, lowest.memory) === 1_000) return [];
  return (await fullServers(queries, lowest)).flatMap(({ id, account_id, name, ...shares }) =>
    (['disk', 'memory'] as const).flatMap((what) =>
      rules.of(`${what}_above`, account_id).flatMap((rule) => {
        const { percent = 100 } = rule.thresholds;
        const share = Number(shares[what]);
        if (share < (isOpen(rule.id, id) ? percent - SLACK_PERCENT : percent)) return [];
        return [
          {
            ...about(id, rule),
            since: null,
            holdMs: minutesOf(rule),
            title: clean(`The ${what} of server ${name} is ${Math.round(share)} % full`, MAX_TITLE_LENGTH),
            text: `The limit is ${percent} %.`,
            fix: what === 'disk' ? `hortus servers prune ${id}` : `hortus servers show ${id}`,
          },
        ];
      }),
    ),
  );
}

const about = (serverId: string, { id: ruleId, accountId, kind }: Rule) =>
  ({ ruleId, accountId, kind, subject: serverId, resourceType: 'server', resourceId: serverId, serverId }) as const;
