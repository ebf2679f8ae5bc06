import type { WebhookEndpoint } from '@hortus/contract/resources/webhooks';
import { useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useApi } from '../../../api/query.ts';
import { ExpiryTime } from '../../../parts/expiry-time.tsx';
import { Page, Section } from '../../../parts/page.tsx';
import { Tag } from '../../../parts/status.tsx';
import { Time } from '../../../parts/time.tsx';
import { Loaded } from '../../../parts/waiting.tsx';
import { hostOf, WebhookStatus } from '../webhook-status.tsx';
import { Deliveries } from './deliveries.tsx';
import { WebhookActions } from './webhook-actions.tsx';

/** One endpoint: where it goes, what it hears, and what was delivered. */
export function WebhookPage(): ReactNode {
  const { id } = useParams({ from: '/frame/webhooks/$id' });
  const query = useApi('webhooks.read', { params: { id } });
  const webhook = query.data?.data;
  const name = webhook ? hostOf(webhook.url) : 'Webhook';
  return (
    <Page
      title={name}
      sentence={<span className="[overflow-wrap:anywhere]">{name}</span>}
      actions={webhook && <WebhookActions webhook={webhook} />}
    >
      <Loaded query={query} lines={10}>
        {({ data }) => (
          <>
            <Facts webhook={data} />
            <Section title="Deliveries">
              <Deliveries webhook={data} />
            </Section>
          </>
        )}
      </Loaded>
    </Page>
  );
}

function Facts({ webhook }: { webhook: WebhookEndpoint }) {
  const { url, events, created_at, updated_at, old_secret_until } = webhook;
  return (
    <dl className="facts mb-9 max-w-[860px]">
      <dt>State</dt>
      <dd>
        <WebhookStatus webhook={webhook} />
        {webhook.paused_because === 'dead' && (
          <p className="mt-1 text-ink-2">Repair the receiver, then resume: what still waits is sent.</p>
        )}
      </dd>
      <dt>Address</dt>
      <dd>
        <code>{url}</code>
      </dd>
      <dt>Hears</dt>
      <dd className="flex flex-wrap gap-[5px]">
        {events.map((name) => (
          <Tag key={name} mono>
            {name}
          </Tag>
        ))}
      </dd>
      {old_secret_until && (
        <>
          <dt>Old secret</dt>
          <dd>
            also signs, ends <ExpiryTime at={old_secret_until} />
          </dd>
        </>
      )}
      <dt>Added</dt>
      <dd>
        <Time at={created_at} ago />, changed <Time at={updated_at} ago />
      </dd>
    </dl>
  );
}
