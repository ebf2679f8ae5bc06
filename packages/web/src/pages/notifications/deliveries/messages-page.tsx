import type { NotificationDelivery } from '@hortus/contract/resources/notifications';
import type { ReactNode } from 'react';
import { useApi, useOrder } from '../../../api/query.ts';
import { useMay } from '../../../api/session.ts';
import { Button } from '../../../parts/button.tsx';
import { FilterSelect } from '../../../parts/filter-choice.tsx';
import { Filter } from '../../../parts/filters.tsx';
import { useListSearch } from '../../../parts/list-search.ts';
import { Named } from '../../../parts/named.tsx';
import { Empty } from '../../../parts/page.tsx';
import { Status } from '../../../parts/status.tsx';
import { type Column, Table } from '../../../parts/table.tsx';
import { Time } from '../../../parts/time.tsx';
import { toast, toastProblem } from '../../../parts/toast.tsx';
import { Loaded } from '../../../parts/waiting.tsx';
import { deliveryStates, deliveryTones } from '../../webhooks/delivery-tones.ts';
import { NotificationsFrame } from '../notifications-frame.tsx';

/** Messages that were sent or wait, newest first. */
export function MessagesPage(): ReactNode {
  const [search] = useListSearch('/frame/notifications/deliveries');
  const status = deliveryStates.find((state) => state === search.status);
  const channelId = search.channel_id;
  const query = useApi('notifications.deliveries', {
    query: { page: search.page ?? 1, ...(status && { status }), ...(channelId && { channel_id: channelId }) },
  });
  const channels = useApi('notifications.channels', { query: { per_page: 100 } }).data?.data ?? [];
  const mayChange = useMay()('notifications:write');
  const repeat = useOrder('notifications.redeliver');
  const again = ({ id }: NotificationDelivery) =>
    repeat.mutateAsync({ params: { id } }).then(async () => {
      await query.refetch();
      toast('The message is sent again.');
    }, toastProblem('It was not sent again.'));
  return (
    <NotificationsFrame title="Deliveries">
      <div className="filters">
        <Filter name="status" label="State" options={deliveryStates} />
        <FilterSelect
          name="channel_id"
          label="Channel"
          all="All channels"
          choices={channels.map(({ id, name }) => ({ value: id, label: name }))}
        />
      </div>
      <Loaded query={query} lines={8}>
        {({ data, pagination }) =>
          data.length === 0 ? (
            <Empty title="No messages.">When a rule raises an alert, what was sent about it is listed here.</Empty>
          ) : (
            <div className="sheet">
              <Table
                label="Messages"
                columns={columns(
                  (id) => channels.find((channel) => channel.id === id)?.name ?? id,
                  mayChange ? again : undefined,
                )}
                rows={data}
                pagination={pagination}
              />
            </div>
          )
        }
      </Loaded>
    </NotificationsFrame>
  );
}

const columns = (
  nameOf: (id: string) => string,
  again: ((delivery: NotificationDelivery) => void) | undefined,
): readonly Column<NotificationDelivery>[] => [
  {
    name: 'Message',
    cell: ({ title, channel_id, created_at }) => (
      <Named
        also={
          <>
            {nameOf(channel_id)}, <Time at={created_at} ago />
          </>
        }
      >
        <b>{title}</b>
      </Named>
    ),
  },
  { name: 'To', wide: true, cell: ({ channel_id }) => nameOf(channel_id) },
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
  { name: 'When', wide: true, cell: ({ created_at }) => <Time at={created_at} ago /> },
  {
    name: ' ',
    wide: true,
    cell: (delivery) =>
      again &&
      delivery.status !== 'pending' && (
        <div className="row-actions text-right">
          <Button small kind="quiet" aria-label={`Send again: ${delivery.title}`} onClick={() => again(delivery)}>
            Send again
          </Button>
        </div>
      ),
  },
];
