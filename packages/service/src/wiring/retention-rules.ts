import { SECRETS_KEPT_MS } from '../http/idempotency/idempotent-write.ts';
import { removeIdempotencyRows, removeReplaySecrets } from '../http/idempotency/retention.ts';
import { removeTombstones, TOMBSTONE_DAYS } from '../http/tombstones/retention.ts';
import { removeSessions } from '../identity/retention.ts';
import { removeEvents } from '../outbox/retention.ts';
import { periodsOf, type Retention } from '../retention/periods.ts';
import type { Rule } from '../retention/removal.ts';
import { declared } from './contributions.ts';

/** Lists what the retention job removes, and after how many days. */
export function retentionRules(retention: Retention): readonly Rule[] {
  const periods = periodsOf(retention);
  const { events, idempotency } = periods;
  return [
    { name: 'events', days: events, remove: removeEvents },
    { name: 'idempotency keys', days: idempotency, remove: removeIdempotencyRows },
    { name: 'secrets of replays', days: SECRETS_KEPT_MS / 86_400_000, remove: removeReplaySecrets },
    { name: 'tombstones', days: TOMBSTONE_DAYS, remove: removeTombstones },
    // Each session has its own expiry.
    { name: 'sessions', days: 0, remove: removeSessions },
    ...declared.flatMap((resource) => resource.retention?.(periods) ?? []),
  ];
}
