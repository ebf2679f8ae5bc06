import { type EventName, eventNames } from '@hortus/contract/events';
import type { WebhookEndpoint } from '@hortus/contract/resources/webhooks';
import { useState } from 'react';
import { useOrder } from '../../../api/query.ts';
import { Button } from '../../../parts/button.tsx';
import { Dialog } from '../../../parts/dialog.tsx';
import { Field } from '../../../parts/field.tsx';
import { FormProblem } from '../../../parts/form/form-problem.tsx';
import { useSubmission } from '../../../parts/form/submission.ts';
import { ShownOnce } from '../../../parts/shown-once.tsx';
import { EventChoice } from '../event-choice.tsx';
import { randomSecret } from '../random-secret.ts';
import { hostOf } from '../webhook-status.tsx';

/** Registers an endpoint, then shows its secret once more, because the receiver needs it too. */
export function CreateWebhook({ onClose }: { onClose: () => void }) {
  const [url, setUrl] = useState('https://');
  const [secret, setSecret] = useState(randomSecret);
  const [events, setEvents] = useState<ReadonlySet<EventName>>(
    new Set(eventNames.filter((name) => name.startsWith('deployment.'))),
  );
  const [created, setCreated] = useState<WebhookEndpoint>();
  const create = useOrder('webhooks.create');
  const { busy, submit, about, problem } = useSubmission(async () => {
    const body = { url, secret, events: eventNames.filter((name) => events.has(name)) };
    setCreated((await create.mutateAsync({ body })).data);
  }, ['url', 'secret', 'events']);
  if (created)
    return (
      <ShownOnce title={`${hostOf(created.url)} is added`} secret={secret} label="Copy secret" onStored={onClose}>
        <p>
          Give this secret to the receiver; it is not shown again. The header X-Service-Signature of each delivery is
          the HMAC-SHA256 of the raw body with it, in hexadecimal.
        </p>
        {created.warnings.map((warning) => (
          <p key={warning} className="mt-2 text-warn-ink">
            {warning}
          </p>
        ))}
      </ShownOnce>
    );
  return (
    <Dialog title="Add a webhook" onClose={onClose}>
      <form onSubmit={submit}>
        <h2>Add a webhook</h2>
        <p className="mb-5 text-ink-2">Your program gets a signed POST for each event that you choose.</p>
        <Field
          label="Address"
          type="url"
          autoFocus
          required
          maxLength={2048}
          autoComplete="off"
          spellCheck={false}
          value={url}
          onChange={setUrl}
          problem={about('url')}
          help="An https address that this service can reach."
        />
        <Field
          label="Secret"
          required
          autoComplete="off"
          spellCheck={false}
          value={secret}
          onChange={setSecret}
          problem={about('secret')}
          help="Signs every delivery. This one is random; replace it if the receiver already has one."
        />
        <EventChoice chosen={events} onChange={setEvents} problem={about('events')} />
        <FormProblem text={problem} />
        <div className="dialog-foot">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" busy={busy} disabled={!URL.canParse(url) || events.size === 0}>
            Add webhook
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
