import type { Delivery, WebhookEndpoint } from '@hortus/contract/resources/webhooks';
import type { ReactNode } from 'react';
import { problemText } from '../../../api/problem.ts';
import { useApi, useApiWhen, useOrder } from '../../../api/query.ts';
import { useMay } from '../../../api/session.ts';
import { counted } from '../../../parts/amount.ts';
import { Button } from '../../../parts/button.tsx';
import { ExpiryTime } from '../../../parts/expiry-time.tsx';
import { indented, OutputText } from '../../../parts/output-text.tsx';
import { Status } from '../../../parts/status.tsx';
import { Time } from '../../../parts/time.tsx';
import { toast, toastProblem } from '../../../parts/toast.tsx';
import { deliveryTones } from '../delivery-tones.ts';
import { requestText } from './request-text.ts';

/** A delivery: its request and its answer side by side, and the way to send it again. */
export function DeliveryDetails({
  webhook,
  id,
  onRepeated,
  onClose,
}: {
  webhook: WebhookEndpoint;
  id: string;
  onRepeated: () => void;
  onClose: () => void;
}) {
  const may = useMay();
  const query = useApi('webhooks.delivery', { params: { id: webhook.id, delivery_id: id } });
  const repeat = useOrder('webhooks.redeliver');
  const delivery = query.data?.data;
  const again = () =>
    repeat.mutateAsync({ params: { id: webhook.id, delivery_id: id } }).then(({ data }) => {
      onRepeated();
      void query.refetch();
      toast(`${data.event_type} is sent again.`);
    }, toastProblem('It was not sent again.'));
  return (
    <section className="sheet mb-6 px-[18px] py-4" aria-label="Delivery">
      <div className="mb-2 flex min-h-[34px] flex-wrap items-center gap-3">
        <h3 className="min-w-0 flex-1">{delivery && <code>{delivery.event_type}</code>}</h3>
        {may('webhooks:write') && delivery && delivery.status !== 'pending' && (
          <Button small busy={repeat.isPending} onClick={again}>
            Send again
          </Button>
        )}
        <Button small kind="quiet" onClick={onClose}>
          Close
        </Button>
      </div>
      <div className="delivery-facts">{delivery && <Outcome delivery={delivery} />}</div>
      <div className="grid gap-5 phone:grid-cols-2">
        <Side title="Request">
          {delivery && may('events:read') ? (
            <Request webhook={webhook} delivery={delivery} />
          ) : (
            delivery && <p>You may not read events, so its body is not shown.</p>
          )}
        </Side>
        <Side title="Answer">
          {query.error && <p role="alert">{problemText(query.error)}</p>}
          {delivery && <Reply code={delivery.response_code} reply={delivery.reply} />}
        </Side>
      </div>
    </section>
  );
}

/** Has its height before its text, so that the list below stays where it is. */
function Side({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div className="delivery-side">
      <h4 className="mb-2 text-sm font-[550]">{title}</h4>
      {children}
    </div>
  );
}

function Outcome({ delivery }: { delivery: Delivery }) {
  const { status, response_code, error, duration_ms, attempts, created_at, delivered_at, next_attempt_at } = delivery;
  return (
    <>
      <Status state={status} tone={deliveryTones[status]} />
      {error && <span>{error}</span>}
      {response_code !== null && !error && <span>HTTP {response_code}</span>}
      {duration_ms !== null && <span>{duration_ms} ms</span>}
      <span>{counted(attempts, 'attempt')}</span>
      <span>
        created <Time at={created_at} ago />
      </span>
      {delivered_at && (
        <span>
          accepted <Time at={delivered_at} ago />
        </span>
      )}
      {next_attempt_at && (
        <span>
          next attempt <ExpiryTime at={next_attempt_at} />
        </span>
      )}
    </>
  );
}

/** The body of a delivery is its event; the same in every attempt. */
function Request({ webhook, delivery }: { webhook: WebhookEndpoint; delivery: Delivery }) {
  const { seq, event_id } = delivery;
  const { data } = useApiWhen(true, 'events.list', { query: { after: seq - 1, per_page: 1 } });
  const event = data?.data.find((item) => item.id === event_id);
  if (!data) return <p>Reading the event.</p>;
  if (!event) return <p>The event is older than the retention period.</p>;
  return <OutputText label="Request" text={requestText(webhook.url, delivery, event)} />;
}

/** What the receiver answered, as text whatever it contains. */
function Reply({ code, reply }: { code: number | null; reply: string | null }) {
  if (code === null) return <p>The receiver has not answered.</p>;
  if (reply === null) return <p>HTTP {code}. Its body was not kept.</p>;
  return <OutputText label="Answer" text={`HTTP ${code}\n\n${reply === '' ? '(empty body)' : indented(reply)}`} />;
}
