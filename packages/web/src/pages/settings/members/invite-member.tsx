import type { CreatedInvite } from '@hortus/contract/resources/members';
import { useState } from 'react';
import { useOrder } from '../../../api/query.ts';
import { Button } from '../../../parts/button.tsx';
import { Dialog } from '../../../parts/dialog.tsx';
import { Field } from '../../../parts/field.tsx';
import { FormProblem } from '../../../parts/form/form-problem.tsx';
import { useSubmission } from '../../../parts/form/submission.ts';
import { SelectField } from '../../../parts/select-field.tsx';
import { ShownOnce } from '../../../parts/shown-once.tsx';

type Role = CreatedInvite['role'];

/** Invites a person. The link is shown once; with a mail server the service also sends it. */
export function InviteMember({ onClose }: { onClose: () => void }) {
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<Role>('member');
  const [created, setCreated] = useState<CreatedInvite>();
  const invite = useOrder('members.invite');
  const { busy, submit, about, problem } = useSubmission(async () => {
    setCreated((await invite.mutateAsync({ body: { email, role } })).data);
  }, ['email', 'role']);
  if (created)
    return (
      <ShownOnce title={`${created.email} is invited`} secret={created.accept_url} label="Copy link" onStored={onClose}>
        Pass this link on; it works once and for seven days. If the operator has set a mail server, it was also sent to{' '}
        {created.email}.
      </ShownOnce>
    );
  return (
    <Dialog title="Invite a person" onClose={onClose}>
      <form onSubmit={submit}>
        <h2>Invite a person</h2>
        <p className="mb-5 text-ink-2">They choose a password when they follow the link.</p>
        <Field
          label="Email"
          type="email"
          autoFocus
          required
          autoComplete="off"
          value={email}
          onChange={setEmail}
          problem={about('email')}
        />
        <SelectField
          label="Role"
          value={role}
          choices={[
            { value: 'member', label: 'Member: runs things' },
            { value: 'owner', label: 'Owner: also keys, members and exports' },
          ]}
          onChange={(value) => setRole(value as Role)}
          problem={about('role')}
        />
        <FormProblem text={problem} />
        <div className="dialog-foot">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" busy={busy} disabled={email === ''}>
            Invite and show link
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
