import type { ChannelType, NotificationChannel } from '@hortus/contract/resources/notification-channels';
import { useState } from 'react';
import { useOrder } from '../../../api/query.ts';
import { Button } from '../../../parts/button.tsx';
import { Dialog } from '../../../parts/dialog.tsx';
import { Field } from '../../../parts/field.tsx';
import { FormProblem } from '../../../parts/form/form-problem.tsx';
import { useSubmission } from '../../../parts/form/submission.ts';
import { SelectField } from '../../../parts/select-field.tsx';
import { toast } from '../../../parts/toast.tsx';
import { type ChannelField, channelBody, channelKinds, type Typed } from './channel-fields.ts';

const TYPES = Object.keys(channelKinds) as ChannelType[];

/** Creates or changes a channel. What is stored is never shown, so an empty field keeps it. */
export function ChannelForm({ channel, onClose }: { channel?: NotificationChannel; onClose: () => void }) {
  const [type, setType] = useState<ChannelType>(channel?.type ?? 'email');
  const [name, setName] = useState(channel?.name ?? '');
  const [typed, setTyped] = useState<Typed>({});
  const create = useOrder('notifications.createChannel');
  const update = useOrder('notifications.updateChannel');
  const { fields } = channelKinds[type];
  const { busy, submit, about, problem } = useSubmission(async () => {
    const rest = channelBody(type, typed);
    if (channel) await update.mutateAsync({ params: { id: channel.id }, body: { name, ...rest } });
    else await create.mutateAsync({ body: { type, name, ...rest } });
    toast(channel ? `${name} is changed.` : `${name} is added. Test it before you rely on it.`);
    onClose();
  }, ['type', 'name', ...fields.map((field) => field.name)]);
  const isMoved = channel !== undefined && (typed.url?.trim() ?? '') !== '';
  const title = channel ? `Edit ${channel.name}` : 'Add a channel';
  const isComplete =
    name.trim() !== '' &&
    (channel !== undefined || fields.every((field) => field.optional || typed[field.name]?.trim()));
  return (
    <Dialog title={title} onClose={onClose}>
      <form onSubmit={submit}>
        <h2 className="mb-5">{title}</h2>
        <div className="pair">
          <Field
            label="Name"
            autoFocus
            required
            maxLength={100}
            autoComplete="off"
            value={name}
            onChange={setName}
            problem={about('name')}
          />
          {channel ? (
            <Field
              label="Kind"
              note="cannot change later"
              disabled
              value={channelKinds[type].label}
              onChange={() => {}}
            />
          ) : (
            <SelectField
              label="Kind"
              value={type}
              choices={TYPES.map((value) => ({ value, label: channelKinds[value].label }))}
              onChange={(value) => setType(value as ChannelType)}
              problem={about('type')}
            />
          )}
        </div>
        {fields.map((field) => (
          <Field
            key={field.name}
            label={field.label}
            {...noteOf(field, { isStored: channel !== undefined, isMoved })}
            type={field.secret ? 'password' : 'text'}
            autoComplete="off"
            spellCheck={false}
            value={typed[field.name] ?? ''}
            onChange={(value) => setTyped({ ...typed, [field.name]: value })}
            problem={about(field.name)}
            help={field.help}
          />
        ))}
        <FormProblem text={problem} />
        <div className="dialog-foot">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" busy={busy} disabled={!isComplete}>
            {channel ? 'Save' : 'Add channel'}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

/** Whether the channel has an optional secret is not known here, so the service decides whether it is missing. */
function noteOf(
  { name, optional, secret }: ChannelField,
  { isStored, isMoved }: { readonly isStored: boolean; readonly isMoved: boolean },
): { note?: string } {
  const isSent = secret === true || name === 'topic';
  if (isMoved && isSent && name !== 'url') return { note: 'again: it is sent to the new address' };
  if (isStored) return { note: 'empty keeps it' };
  return optional ? { note: 'optional' } : {};
}
