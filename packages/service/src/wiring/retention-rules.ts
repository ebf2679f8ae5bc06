import { SECRETS_KEPT_MS } from '../http/idempotency/idempotent-write.ts';
import { removeIdempotencyRows, removeReplaySecrets } from '../http/idempotency/retention.ts';
import { removeTombstones, TOMBSTONE_DAYS } from '../http/tombstones/retention.ts';
import { removeSessions } from '../identity/retention.ts';
import { removeEvents } from '../outbox/retention.ts';
import { removeOutputs } from '../resources/actions/retention.ts';
import { removeCapacity, removeFineCapacity } from '../resources/capacity/retention.ts';
import { removeConfirmations } from '../resources/confirmations/retention.ts';
import { removeDaemonUpdates } from '../resources/daemon-updates/retention.ts';
import { removeLogLines } from '../resources/deployments/retention.ts';
import { removeEvacuations } from '../resources/evacuations/retention.ts';
import { removeGardenCommits } from '../resources/gardens/following/retention.ts';
import { removeGardenRuns } from '../resources/gardens/retention.ts';
import { removeFineUsage, removeUsage } from '../resources/metrics/retention.ts';
import { FINE_DAYS } from '../resources/metrics/steps.ts';
import { removeAlerts } from '../resources/notifications/alerts/retention.ts';
import { removeNotifications } from '../resources/notifications/deliveries/retention.ts';
import { removeRecordings, removeShells } from '../resources/shells/retention.ts';
import { removeDeliveries } from '../resources/webhooks/retention.ts';
import type { Retention } from '../retention/periods.ts';
import type { Rule } from '../retention/removal.ts';

/** Lists what the retention job removes, and after how many days. */
export const retentionRules = (retention: Retention): readonly Rule[] => [
  { name: 'events', days: retention.events || undefined, remove: removeEvents },
  { name: 'deliveries', days: retention.deliveries || undefined, remove: removeDeliveries },
  { name: 'notifications', days: retention.deliveries || undefined, remove: removeNotifications },
  { name: 'alerts', days: retention.events || undefined, remove: removeAlerts },
  { name: 'confirmations', days: retention.events || undefined, remove: removeConfirmations },
  { name: 'evacuations of servers', days: retention.events || undefined, remove: removeEvacuations },
  { name: 'updates of daemons', days: retention.events || undefined, remove: removeDaemonUpdates },
  { name: 'garden runs', days: retention.events || undefined, remove: removeGardenRuns },
  { name: 'garden commits', days: retention.events || undefined, remove: removeGardenCommits },
  { name: 'log lines', days: retention.logs || undefined, remove: removeLogLines },
  { name: 'outputs', days: retention.logs || undefined, remove: removeOutputs },
  { name: 'idempotency keys', days: retention.idempotency || undefined, remove: removeIdempotencyRows },
  { name: 'secrets of replays', days: SECRETS_KEPT_MS / 86_400_000, remove: removeReplaySecrets },
  { name: 'tombstones', days: TOMBSTONE_DAYS, remove: removeTombstones },
  { name: 'capacity', days: retention.metrics || undefined, remove: removeCapacity },
  { name: 'usage', days: retention.metrics || undefined, remove: removeUsage },
  { name: 'fine capacity', days: FINE_DAYS, remove: removeFineCapacity },
  { name: 'fine usage', days: FINE_DAYS, remove: removeFineUsage },
  { name: 'shell recordings', days: retention.recordings || undefined, remove: removeRecordings },
  { name: 'shell sessions', days: retention.recordings || undefined, remove: removeShells },
  // Each session has its own expiry.
  { name: 'sessions', days: 0, remove: removeSessions },
];
