import type { NotificationRule, RuleKind } from '@hortus/contract/resources/notifications';
import { counted } from '../../../parts/amount.ts';

export type Threshold = 'types' | 'minutes' | 'percent' | 'restarts' | 'days';

/** What each kind of rule watches, and the thresholds that it uses with their defaults. */
export const ruleKinds: Readonly<
  Record<RuleKind, { readonly label: string; readonly uses: Readonly<Partial<Record<Threshold, string>>> }>
> = {
  server_offline: { label: 'A server is offline', uses: { minutes: '3' } },
  disk_above: { label: 'A disk fills up', uses: { percent: '90', minutes: '5' } },
  memory_above: { label: 'Memory fills up', uses: { percent: '90', minutes: '10' } },
  instance_unhealthy: { label: 'An instance is unhealthy or failed', uses: { minutes: '2' } },
  restart_loop: { label: 'An instance restarts again and again', uses: { restarts: '5', minutes: '15' } },
  deployment_failed: { label: 'A deployment fails', uses: {} },
  backup_failed: { label: 'A backup fails', uses: {} },
  backup_late: { label: 'A backup is late', uses: { minutes: '120' } },
  certificate_expires: { label: 'A certificate expires', uses: { days: '14' } },
  upgrade_available: { label: 'An upgrade is available', uses: {} },
  event: { label: 'An event happens', uses: { types: '' } },
};

/** A rule as a sentence: "A disk is fuller than 90 % for 5 minutes." */
export function ruleWords({ kind, types, minutes, percent, restarts, days }: NotificationRule): string {
  const lasting = minutes === null ? '' : ` for ${counted(minutes, 'minute')}`;
  switch (kind) {
    case 'event':
      return `One of these happens: ${types?.join(', ')}`;
    case 'disk_above':
      return `A disk is fuller than ${percent} %${lasting}`;
    case 'memory_above':
      return `Memory is fuller than ${percent} %${lasting}`;
    case 'restart_loop':
      return `An instance restarts ${restarts} times within ${counted(minutes ?? 0, 'minute')}`;
    case 'backup_late':
      return `The newest backup is older than promised, by ${counted(minutes ?? 0, 'minute')}`;
    case 'certificate_expires':
      return `A certificate expires within ${counted(days ?? 0, 'day')}`;
    default:
      return `${ruleKinds[kind].label}${lasting}`;
  }
}
