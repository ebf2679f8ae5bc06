import type { WebhookEndpoint } from '@hortus/contract/resources/webhooks';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useMemo } from 'react';
import { useApi } from '../../../api/query.ts';
import { useMay } from '../../../api/session.ts';
import { useCommands } from '../../../frame/commands.ts';
import { counted } from '../../../parts/amount.ts';
import { Button } from '../../../parts/button.tsx';
import { Icon } from '../../../parts/icon.tsx';
import { useListSearch } from '../../../parts/list-search.ts';
import { Empty, Page } from '../../../parts/page.tsx';
import { Tag } from '../../../parts/status.tsx';
import { type Column, Table } from '../../../parts/table.tsx';
import { Time } from '../../../parts/time.tsx';
import { Loaded } from '../../../parts/waiting.tsx';
import { hostOf, WebhookStatus } from '../webhook-status.tsx';
import { CreateWebhook } from './create-webhook.tsx';

const SHOWN = 2;

/** Webhook endpoints of the account. */
export function WebhooksPage(): ReactNode {
  const [search, change] = useListSearch('/frame/webhooks');
  const query = useApi('webhooks.list', { query: { page: search.page ?? 1 } });
  const mayChange = useMay()('webhooks:write');
  const begin = () => change({ new: 'webhook' });
  useCommands(
    // biome-ignore lint/correctness/useExhaustiveDependencies: begin only changes the URL
    useMemo(() => (mayChange ? [{ name: 'Add a webhook', run: begin }] : []), [mayChange]),
  );
  const add = mayChange && (
    <Button kind="primary" onClick={begin}>
      <Icon name="plus" />
      Add a webhook…
    </Button>
  );
  const total = query.data?.pagination.total;
  return (
    <Page
      title="Webhooks"
      sentence={total ? `${counted(total, 'webhook')}.` : 'Webhooks'}
      actions={total ? add : undefined}
    >
      <Loaded query={query} lines={6}>
        {({ data, pagination }) =>
          data.length === 0 ? (
            <Empty title="No webhooks yet." action={add}>
              An endpoint hears about ten kinds of events: deployments, instances, definitions and actions. Each
              delivery is signed, so that your program can tell it from anybody else&rsquo;s, and repeated for a day
              until it is accepted.
            </Empty>
          ) : (
            <div className="sheet">
              <Table label="Webhooks" columns={COLUMNS} rows={data} pagination={pagination} />
            </div>
          )
        }
      </Loaded>
      {mayChange && search.new === 'webhook' && <CreateWebhook onClose={() => change({ new: undefined })} />}
    </Page>
  );
}

const COLUMNS: readonly Column<WebhookEndpoint>[] = [
  {
    name: 'Receiver',
    cell: ({ id, url }) => (
      <Link to="/webhooks/$id" params={{ id }} className="row-link" title={url}>
        <b className="[overflow-wrap:anywhere]">{hostOf(url)}</b>
      </Link>
    ),
  },
  { name: 'State', cell: (webhook) => <WebhookStatus webhook={webhook} /> },
  {
    name: 'Events',
    wide: true,
    cell: ({ events }) => (
      <span className="flex gap-[5px]" title={events.join(', ')}>
        {events.slice(0, SHOWN).map((name) => (
          <Tag key={name} mono>
            {name}
          </Tag>
        ))}
        {events.length > SHOWN && <Tag>+{events.length - SHOWN}</Tag>}
      </span>
    ),
  },
  { name: 'Added', wide: true, cell: ({ created_at }) => <Time at={created_at} ago /> },
];
