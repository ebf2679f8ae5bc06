import type { Delivery, WebhookEndpoint } from '@hortus/contract/resources/webhooks';
import { useApiWhen, useOrder } from '../../../api/query.ts';
import { useMay } from '../../../api/session.ts';
import { Button } from '../../../parts/button.tsx';
import { Said } from '../../../parts/said.tsx';
import { Status } from '../../../parts/status.tsx';
import { Time } from '../../../parts/time.tsx';
import { toast, toastProblem } from '../../../parts/toast.tsx';
import { Until } from '../../../parts/until.tsx';
import { deliveryTones } from '../delivery-tones.ts';

/** A delivery: the request as it was sent, the answer as it came, and the way to send it again. */
export function OneDelivery({
  webhook,
  delivery,
  onRepeated,
  onClose,
}: {
  webhook: WebhookEndpoint;
  delivery: Delivery;
  onRepeated: () => void;
  onClose: () => void;
}) {
  const may = useMay();
  const repeat = useOrder('webhooks.redeliver');
  const again = () =>
    repeat.mutateAsync({ params: { id: webhook.id, delivery_id: delivery.id } }).then(() => {
      onRepeated();
      toast(`${delivery.event_type} is sent again.`);
    }, toastProblem('It was not sent again.'));
  const { status, response_code, error, duration_ms, attempts, created_at, delivered_at, next_attempt_at } = delivery;
  return (
    <section className="sheet mb-6 px-[18px] py-4" aria-label="Delivery">
      <div className="mb-4 flex flex-wrap items-center gap-3">
        <h3 className="min-w-0 flex-1">
          <code>{delivery.event_type}</code>
        </h3>
        {may('webhooks:write') && status !== 'pending' && (
          <Button small busy={repeat.isPending} onClick={again}>
            Send again
          </Button>
        )}
        <Button small kind="quiet" onClick={onClose}>
          Close
        </Button>
      </div>
      <div className="grid gap-5 phone:grid-cols-2">
        <div className="min-w-0">
          <h4 className="mb-2 text-sm font-[550]">Request</h4>
          {may('events:read') && <Body webhook={webhook} delivery={delivery} />}
        </div>
        <div className="min-w-0">
          <h4 className="mb-2 text-sm font-[550]">Answer</h4>
          <dl className="facts">
            <dt>State</dt>
            <dd>
              <Status state={status} tone={deliveryTones[status]} />
            </dd>
            <dt>HTTP status</dt>
            <dd>{response_code ?? 'none'}</dd>
            {error && (
              <>
                <dt>Problem</dt>
                <dd>{error}</dd>
              </>
            )}
            <dt>Took</dt>
            <dd>{duration_ms === null ? 'not sent yet' : `${duration_ms} ms`}</dd>
            <dt>Attempts</dt>
            <dd>{attempts}</dd>
            <dt>Created</dt>
            <dd>
              <Time at={created_at} ago />
            </dd>
            {delivered_at && (
              <>
                <dt>Accepted</dt>
                <dd>
                  <Time at={delivered_at} ago />
                </dd>
              </>
            )}
            {next_attempt_at && (
              <>
                <dt>Next attempt</dt>
                <dd>
                  <Until at={next_attempt_at} />
                </dd>
              </>
            )}
            <dt>Delivery</dt>
            <dd>
              <code>{delivery.id}</code>
            </dd>
          </dl>
        </div>
      </div>
    </section>
  );
}

/** The body of a delivery is its event; the same in every attempt. */
function Body({
  webhook,
  delivery: { seq, event_id, event_type, id },
}: {
  webhook: WebhookEndpoint;
  delivery: Delivery;
}) {
  const { data } = useApiWhen(true, 'events.list', { query: { after: seq - 1, per_page: 1 } });
  const event = data?.data.find((one) => one.id === event_id);
  if (!data) return <p className="text-ink-3">Reading the event.</p>;
  if (!event) return <p className="text-ink-3">The event is older than the retention period.</p>;
  const { type, created_at, account_id } = event;
  const body = { id: event.id, type, created_at, account_id, data: event.data };
  const head = [
    `POST ${webhook.url}`,
    'Content-Type: application/json',
    'X-Service-Signature: HMAC-SHA256 of the body',
    `X-Service-Event: ${event_type}`,
    `X-Service-Delivery: ${id}`,
  ].join('\n');
  return <Said label="Request" text={`${head}\n\n${JSON.stringify(body, null, 2)}`} />;
}
