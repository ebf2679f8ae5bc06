import { isPublishedEvent } from '@hortus/contract/events';
import type { Delivery, WebhookEndpoint } from '@hortus/contract/resources/webhooks';
import { useRef } from 'react';
import { useEvents } from '../../../api/live-context.ts';
import { useApi } from '../../../api/query.ts';
import { Filter } from '../../../parts/filters.tsx';
import { useListSearch } from '../../../parts/list-search.ts';
import { Empty } from '../../../parts/page.tsx';
import { Status } from '../../../parts/status.tsx';
import { type Column, Table } from '../../../parts/table.tsx';
import { Time } from '../../../parts/time.tsx';
import { Loaded } from '../../../parts/waiting.tsx';
import { deliveryStates, deliveryTones } from '../delivery-tones.ts';
import { DeliveryDetails } from './delivery-details.tsx';

/** A delivery follows its event within moments, without an event of its own. */
const AFTER_EVENT_MS = 1_500;

/** Deliveries of an endpoint, newest first; one of them opened, with its request and its answer. */
export function Deliveries({ webhook }: { webhook: WebhookEndpoint }) {
  const [search, change] = useListSearch('/frame/webhooks/$id');
  const status = deliveryStates.find((state) => state === search.status);
  const query = useApi('webhooks.deliveries', {
    params: { id: webhook.id },
    query: { page: search.page ?? 1, ...(status && { status }) },
  });
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEvents(({ type }) => {
    if (!isPublishedEvent(type) || !(webhook.events as readonly string[]).includes(type)) return;
    clearTimeout(timer.current);
    timer.current = setTimeout(() => void query.refetch(), AFTER_EVENT_MS);
  });
  return (
    <>
      <div className="filters">
        <Filter name="status" label="State" options={deliveryStates} />
      </div>
      {search.delivery && (
        <DeliveryDetails
          webhook={webhook}
          id={search.delivery}
          onRepeated={() => void query.refetch()}
          onClose={() => change({ ...search, delivery: undefined })}
        />
      )}
      <Loaded query={query} lines={6}>
        {({ data, pagination }) =>
          data.length === 0 ? (
            <Empty title={status ? `No delivery is ${status}.` : 'Nothing was delivered yet.'}>
              The first delivery follows the next event that this endpoint hears. Send a test to see whether the
              receiver answers.
            </Empty>
          ) : (
            <div className="sheet">
              <Table
                label="Deliveries"
                columns={columns((id) => change({ ...search, delivery: id }))}
                rows={data}
                pagination={pagination}
              />
            </div>
          )
        }
      </Loaded>
    </>
  );
}

const columns = (open: (id: string) => void): readonly Column<Delivery>[] => [
  {
    name: 'Event',
    cell: ({ id, event_type }) => (
      <button type="button" className="row-link text-left" onClick={() => open(id)}>
        <code>{event_type}</code>
      </button>
    ),
  },
  { name: 'State', cell: ({ status }) => <Status state={status} tone={deliveryTones[status]} /> },
  {
    name: 'Answer',
    wide: true,
    cell: ({ response_code, error }) => (
      <span className="[overflow-wrap:anywhere]">
        {[response_code, error].filter((part) => part !== null).join(', ')}
      </span>
    ),
  },
  { name: 'Attempts', wide: true, cell: ({ attempts }) => attempts },
  { name: 'Took', wide: true, cell: ({ duration_ms }) => (duration_ms === null ? '' : `${duration_ms} ms`) },
  { name: 'When', wide: true, cell: ({ created_at }) => <Time at={created_at} ago /> },
];
