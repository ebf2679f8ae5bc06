import type { CreatedInvite } from '@hortus/contract/resources/members';
import { useState } from 'react';
import { useOrder, useRenew } from '../../../api/query.ts';
import { Button } from '../../../parts/button.tsx';
import { Dialog } from '../../../parts/dialog.tsx';
import { Field } from '../../../parts/field.tsx';
import { FormProblem } from '../../../parts/form/form-problem.tsx';
import { useSubmission } from '../../../parts/form/submission.ts';
import { SelectField } from '../../../parts/select-field.tsx';
import { ShownOnce } from '../../../parts/shown-once.tsx';
import { type Plan, planChoices } from './plans.ts';

/** Creates an account and shows the link that invites its owner. */
export function CreateAccount({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState('');
  const [email, setEmail] = useState('');
  const [plan, setPlan] = useState<Plan>('free');
  const [invite, setInvite] = useState<CreatedInvite>();
  const create = useOrder('accounts.create');
  const renew = useRenew();
  const { busy, submit, about, problem } = useSubmission(async () => {
    const { data } = await create.mutateAsync({ body: { name, plan, owner_email: email } });
    renew('accounts.');
    setInvite(data.invite);
  }, ['name', 'plan', 'owner_email']);
  if (invite)
    return (
      <ShownOnce title={`${name} is created`} secret={invite.accept_url} label="Copy link" onStored={onClose}>
        Pass this link on to {invite.email}, who becomes the owner. It works once and for seven days.
      </ShownOnce>
    );
  return (
    <Dialog title="Create an account" onClose={onClose}>
      <form onSubmit={submit}>
        <h2 className="mb-5">Create an account</h2>
        <div className="pair">
          <Field
            label="Name"
            autoFocus
            required
            maxLength={120}
            autoComplete="off"
            value={name}
            onChange={setName}
            problem={about('name')}
          />
          <SelectField
            label="Plan"
            value={plan}
            choices={planChoices}
            onChange={(value) => setPlan(value as Plan)}
            problem={about('plan')}
          />
        </div>
        <Field
          label="Email of its owner"
          type="email"
          required
          autoComplete="off"
          value={email}
          onChange={setEmail}
          problem={about('owner_email')}
        />
        <FormProblem text={problem} />
        <div className="dialog-foot">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" busy={busy} disabled={name.trim() === '' || email === ''}>
            Create and show link
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
