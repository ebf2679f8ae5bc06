import { SECRETS_KEPT_MS } from '../http/idempotency/idempotent-write.ts';
import { removeIdempotencyRows, removeReplaySecrets } from '../http/idempotency/retention.ts';
import { removeTombstones, TOMBSTONE_DAYS } from '../http/tombstones/retention.ts';
import { removeSessions } from '../identity/retention.ts';
import { removeEvents } from '../outbox/retention.ts';
import { removeOutputs } from '../resources/actions/retention.ts';
import { removeCapacity, removeFineCapacity } from '../resources/capacity/retention.ts';
import { removeLogLines } from '../resources/deployments/retention.ts';
import { removeFineUsage, removeUsage } from '../resources/metrics/retention.ts';
import { FINE_DAYS } from '../resources/metrics/steps.ts';
import { removeDeliveries } from '../resources/webhooks/retention.ts';
import type { Removal } from './removal.ts';

/** Days that things are kept; 0 keeps them for ever. */
export interface Retention {
  readonly events: number;
  readonly deliveries: number;
  /** Of deployments, and what actions wrote. */
  readonly logs: number;
  readonly idempotency: number;
  /** What servers and instances used. */
  readonly metrics: number;
}

export const defaultRetention: Retention = { events: 90, deliveries: 30, logs: 30, idempotency: 1, metrics: 7 };

/** A delivery needs its event for as long as it is tried, which is a day. */
export const leastDays: Readonly<Record<keyof Retention, number>> = {
  events: 2,
  deliveries: 2,
  logs: 1,
  idempotency: 1,
  metrics: 1,
};

export interface Rule {
  readonly name: string;
  /** Undefined keeps all of it. */
  readonly days: number | undefined;
  readonly remove: Removal;
}

export const rulesOf = (retention: Retention): readonly Rule[] => [
  { name: 'events', days: retention.events || undefined, remove: removeEvents },
  { name: 'deliveries', days: retention.deliveries || undefined, remove: removeDeliveries },
  { name: 'log lines', days: retention.logs || undefined, remove: removeLogLines },
  { name: 'outputs', days: retention.logs || undefined, remove: removeOutputs },
  { name: 'idempotency keys', days: retention.idempotency || undefined, remove: removeIdempotencyRows },
  { name: 'secrets of replays', days: SECRETS_KEPT_MS / 86_400_000, remove: removeReplaySecrets },
  { name: 'tombstones', days: TOMBSTONE_DAYS, remove: removeTombstones },
  { name: 'capacity', days: retention.metrics || undefined, remove: removeCapacity },
  { name: 'usage', days: retention.metrics || undefined, remove: removeUsage },
  { name: 'fine capacity', days: FINE_DAYS, remove: removeFineCapacity },
  { name: 'fine usage', days: FINE_DAYS, remove: removeFineUsage },
  // They say themselves when they are over.
  { name: 'sessions', days: 0, remove: removeSessions },
];
