import { isPublishedEvent } from '@hortus/contract/events';
import { newId } from '../../ids.ts';
import { enqueue } from '../../jobs/enqueue.ts';
import { notYetSent } from '../../outbound/deliveries.ts';
import type { EventSubscriber } from '../../outbox/dispatcher.ts';
import type { NewRow } from '../../storage/tables.ts';
import { DELIVER } from './delivery-job.ts';
import { activeEndpointsOf, insertDeliveries } from './store.ts';

/** Creates deliveries for events and wakes the sender of each endpoint. Audit events are not delivered. */
export const fanOut: EventSubscriber = async (tx, events) => {
  const published = events.filter((event) => isPublishedEvent(event.type));
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
