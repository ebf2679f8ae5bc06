import { type EventName, eventNames } from '@hortus/contract/events';
import type { WebhookEndpoint } from '@hortus/contract/resources/webhooks';
import { useState } from 'react';
import { useOrder } from '../../../api/query.ts';
import { Button } from '../../../parts/button.tsx';
import { Dialog } from '../../../parts/dialog.tsx';
import { Field } from '../../../parts/field.tsx';
import { FormProblem } from '../../../parts/form/form-problem.tsx';
import { useSubmission } from '../../../parts/form/submission.ts';
import { toast } from '../../../parts/toast.tsx';
import { EventChoice } from '../event-choice.tsx';
import { hostOf } from '../webhook-status.tsx';

export function EditWebhook({ webhook, onClose }: { webhook: WebhookEndpoint; onClose: () => void }) {
  const [url, setUrl] = useState(webhook.url);
  const [secret, setSecret] = useState('');
  const [events, setEvents] = useState<ReadonlySet<EventName>>(new Set(webhook.events));
  const update = useOrder('webhooks.update');
  const { busy, submit, about, problem } = useSubmission(async () => {
    const chosen = eventNames.filter((name) => events.has(name));
    const body = { ...(url !== webhook.url && { url }), events: chosen, ...(secret && { secret }) };
    const { data } = await update.mutateAsync({ params: { id: webhook.id }, body });
    toast(data.warnings[0] ?? `${hostOf(data.url)} is changed.`);
    onClose();
  }, ['url', 'secret', 'events']);
  const isMoved = url !== webhook.url;
  const title = `Edit ${hostOf(webhook.url)}`;
  return (
    <Dialog title={title} onClose={onClose}>
      <form onSubmit={submit}>
        <h2 className="mb-5">{title}</h2>
        <Field
          label="Address"
          type="url"
          autoFocus
          required
          maxLength={2048}
          spellCheck={false}
          value={url}
          onChange={setUrl}
          problem={about('url')}
        />
        <Field
          label={isMoved ? 'Secret' : 'New secret'}
          {...(isMoved ? { required: true } : { note: 'optional' })}
          autoComplete="off"
          spellCheck={false}
          value={secret}
          onChange={setSecret}
          problem={about('secret')}
          help={
            isMoved
              ? 'Needed again, because another receiver must not get deliveries signed with the stored one.'
              : 'For a day, deliveries are also signed with the old one, so that the receiver can change over.'
          }
        />
        <EventChoice chosen={events} onChange={setEvents} problem={about('events')} />
        <FormProblem text={problem} />
        <div className="dialog-foot">
          <Button onClick={onClose}>Cancel</Button>
          <Button
            kind="primary"
            type="submit"
            busy={busy}
            disabled={!URL.canParse(url) || events.size === 0 || (isMoved && secret === '')}
          >
            Save
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
