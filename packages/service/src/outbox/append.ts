import type { AuditName, EventName } from '@hortus/contract/events';
import { newId } from '../records/ids.ts';
import { statement } from '../storage/statement.ts';
import type { Tx } from '../storage/storage.ts';
import type { NewRow } from '../storage/tables.ts';

export interface NewEvent {
  readonly type: EventName | AuditName;
  readonly accountId: string;
  readonly resourceType: string;
  readonly resourceId: string;
  /** Id of the key, user or server that caused it; null is the service itself. */
  readonly actor: string | null;
  readonly data: Record<string, unknown>;
}

/** Notice after a commit that wrote events. */
export const EVENTS_TOPIC = 'events';

/** Notice after a commit that numbered events, which readers that follow `seq` can see from then on. */
export const NUMBERED_TOPIC = 'numbered';

/** Writes an event in the transaction of its change, so that both are committed or neither. */
export async function append(tx: Tx, event: NewEvent): Promise<void> {
  await insertEvent(tx, {
    id: newId('event'),
    type: event.type,
    account_id: event.accountId,
    resource_type: event.resourceType,
    resource_id: event.resourceId,
    actor: event.actor,
    data: JSON.stringify(event.data),
    created_at: tx.now,
  });
  tx.notify(EVENTS_TOPIC);
}

type EventRow = Omit<NewRow<'events'>, 'position' | 'seq'>;

const insertEvent = statement<EventRow>((db, p) =>
  db.insertInto('events').values({
    id: p.id,
    type: p.type,
    account_id: p.account_id,
    resource_type: p.resource_type,
    resource_id: p.resource_id,
    actor: p.actor ?? null,
    data: p.data,
    created_at: p.created_at,
  }),
);
