import type { WebhookEndpoint } from '@hortus/contract/resources/webhooks';
import { Status } from '../../parts/status.tsx';
import { Since } from '../../parts/time.tsx';

/** Whether an endpoint receives events, in words. */
export function WebhookStatus({ webhook }: { webhook: WebhookEndpoint }) {
  const { status, paused_because, failing_since } = webhook;
  if (status === 'paused')
    return paused_because === 'dead' ? (
      <Status state="paused" tone="bad">
        Paused, it did not answer for a day
      </Status>
    ) : (
      <Status state="paused" tone="idle" />
    );
  if (failing_since)
    return (
      <Status state="failing" tone="warn">
        <span>
          Failing for <Since at={failing_since} />
        </span>
      </Status>
    );
  return <Status state="active" tone="ok" />;
}

/** Host of an address. The path is often a secret, so lists show the host. */
export const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : url);
