import type { Permission } from '@hortus/contract/permissions';
import { permissions } from '@hortus/contract/records/names';
import { type ReactNode, useState } from 'react';
import { useOrder } from '../../../api/query.ts';
import { useSession } from '../../../api/session.ts';
import { counted } from '../../../parts/amount.ts';
import { Button } from '../../../parts/button.tsx';
import { Field } from '../../../parts/field.tsx';
import { FormProblem } from '../../../parts/form/form-problem.tsx';
import { useSubmission } from '../../../parts/form/submission.ts';
import { sentenceCase, Tag } from '../../../parts/status.tsx';
import { Time } from '../../../parts/time.tsx';
import { toast } from '../../../parts/toast.tsx';
import { SettingsFrame } from '../settings-frame.tsx';

/** Who is signed in, and what they may do. */
export function ProfilePage(): ReactNode {
  const { user, account, permissions: granted } = useSession();
  const known = granted.filter((name): name is Permission => Object.hasOwn(permissions, name));
  return (
    <SettingsFrame title="Profile" note="Who you are here. An owner invites and removes people under Members.">
      {user && <NameForm key={user.name} name={user.name ?? ''} />}
      <dl className="facts mb-9 max-w-[720px]">
        <dt>Email</dt>
        <dd>{user?.email}</dd>
        <dt>Account</dt>
        <dd>{account.name}</dd>
        <dt>Role</dt>
        <dd>
          {user && sentenceCase(user.role)} {user?.admin && <Tag tone="bad">administers this installation</Tag>}
        </dd>
        <dt>Since</dt>
        <dd>{user && <Time at={user.created_at} ago />}</dd>
      </dl>
      <details className="max-w-[720px]">
        <summary className="mb-3 cursor-pointer font-[600]">
          What you may do: {counted(known.length, 'permission')}
        </summary>
        <dl className="facts">
          {known.map((name) => (
            <div key={name} className="contents">
              <dt>
                <code>{name}</code>
              </dt>
              <dd>{permissions[name]}</dd>
            </div>
          ))}
        </dl>
      </details>
    </SettingsFrame>
  );
}

function NameForm({ name: known }: { name: string }) {
  const [name, setName] = useState(known);
  const change = useOrder('account.changeProfile');
  const { busy, submit, about, problem } = useSubmission(async () => {
    await change.mutateAsync({ body: { name: name.trim() } });
    toast('Your name is changed.');
  }, ['name']);
  return (
    <form onSubmit={submit} className="mb-6 flex max-w-[480px] items-start gap-3">
      <div className="flex-1">
        <Field
          label="Your name"
          name="name"
          autoComplete="name"
          maxLength={120}
          value={name}
          onChange={setName}
          problem={about('name')}
        />
        <FormProblem text={problem} />
      </div>
      <Button type="submit" className="mt-[27px]" busy={busy} disabled={name.trim() === '' || name.trim() === known}>
        Save
      </Button>
    </form>
  );
}
