import { isPublishedEvent } from '@hortus/contract/events';
import { enqueue } from '../../jobs/enqueue.ts';
import { notYetSent } from '../../outbound/deliveries.ts';
import type { EventSubscriber } from '../../outbox/dispatcher.ts';
import { dataOf, type SequencedEvent } from '../../outbox/store.ts';
import { newId } from '../../records/ids.ts';
import type { Tx } from '../../storage/storage.ts';
import type { NewRow } from '../../storage/tables.ts';
import { copiesOf } from '../definitions/public.ts';
import { definitionOfInstance } from '../instances/public.ts';
import { DELIVER } from './delivery-job.ts';
import { activeEndpointsOf, insertDeliveries } from './store.ts';

/** Creates deliveries for events and wakes the sender of each endpoint. Audit events are not delivered. */
export const fanOut: EventSubscriber = async (tx, events) => {
  const published = await withoutCopies(
    tx,
    events.filter((event) => isPublishedEvent(event.type)),
  );
  if (published.length === 0) return;
  const endpoints = await activeEndpointsOf(tx, [...new Set(published.map((event) => event.account_id))]);
  const deliveries: NewRow<'deliveries'>[] = [];
  for (const endpoint of endpoints) {
    const wanted = new Set<string>(JSON.parse(endpoint.events));
    for (const event of published) {
      if (event.account_id !== endpoint.account_id || !wanted.has(event.type)) continue;
      deliveries.push({
        id: newId('delivery'),
        account_id: event.account_id,
        endpoint_id: endpoint.id,
        event_id: event.id,
        event_type: event.type,
        seq: event.seq,
        ...notYetSent(tx.now),
        created_at: tx.now,
      });
    }
  }
  await insertDeliveries(tx, deliveries);
  for (const id of new Set(deliveries.map((delivery) => delivery.endpoint_id))) {
    await enqueue(tx, { kind: DELIVER, key: id, payload: { endpoint_id: id } });
  }
};

/** Drops the events of isolated copies: receivers must not take them for their originals. */
async function withoutCopies(tx: Tx, events: readonly SequencedEvent[]): Promise<readonly SequencedEvent[]> {
  if (events.length === 0) return events;
  const copies = new Set(await copiesOf(tx, [...new Set(events.map((event) => event.account_id))]));
  if (copies.size === 0) return events;
  const ofCopies = new Set<string>();
  for (const { resource_id, data } of await dataOf(tx, events)) {
    const { definition_id, instance_id } = JSON.parse(data) as { definition_id?: string; instance_id?: string | null };
    // An action names only its instance.
    const definitionId = definition_id ?? (instance_id && (await definitionOfInstance(tx, instance_id)));
    if (definitionId && copies.has(definitionId)) ofCopies.add(resource_id);
  }
  return events.filter(({ resource_id }) => !ofCopies.has(resource_id));
}
