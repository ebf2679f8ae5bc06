import { grantablePermissions } from '@hortus/contract/permissions';
import { permissions } from '@hortus/contract/records/names';
import type { User } from '@hortus/contract/resources/sign-in';
import { useState } from 'react';
import { useOrder } from '../../../api/query.ts';
import { Button } from '../../../parts/button.tsx';
import { CheckField } from '../../../parts/check-field.tsx';
import { Dialog } from '../../../parts/dialog.tsx';
import { FormProblem } from '../../../parts/form/form-problem.tsx';
import { useSubmission } from '../../../parts/form/submission.ts';
import { toast } from '../../../parts/toast.tsx';
import { toggled } from '../../../parts/toggled.ts';

/** Gives a member permissions that members do not have by their role. */
export function GrantPermissions({ user, onClose }: { user: User; onClose: () => void }) {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set(user.granted_permissions));
  const grant = useOrder('members.grant');
  const who = user.name ?? user.email;
  const { busy, submit, problem } = useSubmission(async () => {
    const body = { permissions: grantablePermissions.filter((name) => chosen.has(name)) };
    await grant.mutateAsync({ params: { id: user.id }, body });
    toast(`The permissions of ${who} are changed.`);
    onClose();
  }, []);
  const toggle = (name: string) => setChosen(toggled(chosen, name));
  const title = `Permissions of ${who}`;
  return (
    <Dialog title={title} onClose={onClose}>
      <form onSubmit={submit}>
        <h2>{title}</h2>
        <p className="mb-4 text-ink-2">Beyond those of every member. A change takes effect at once.</p>
        {grantablePermissions.map((name) => (
          <CheckField
            key={name}
            label={<code>{name}</code>}
            help={permissions[name]}
            checked={chosen.has(name)}
            onChange={() => toggle(name)}
          />
        ))}
        <FormProblem text={problem} />
        <div className="dialog-foot">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" busy={busy}>
            Save
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
