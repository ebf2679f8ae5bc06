import { type ReactNode, useState } from 'react';
import { useOrder } from '../../../api/query.ts';
import { useSession } from '../../../api/session.ts';
import { Button } from '../../../parts/button.tsx';
import { Field } from '../../../parts/field.tsx';
import { FormProblem } from '../../../parts/form/form-problem.tsx';
import { useSubmission } from '../../../parts/form/submission.ts';
import { toast } from '../../../parts/toast.tsx';
import { checkPassword } from '../../outside/password-rule.ts';
import { SettingsFrame } from '../settings-frame.tsx';

export function PasswordPage(): ReactNode {
  const { user } = useSession();
  const [current, setCurrent] = useState('');
  const [next, setNext] = useState('');
  const change = useOrder('account.changePassword');
  const { busy, submit, about, problem } = useSubmission(async () => {
    await change.mutateAsync({ body: { current_password: current, new_password: next } });
    setCurrent('');
    setNext('');
    toast('Your password is changed. Your other sessions have ended.');
  }, ['current_password', 'new_password']);
  return (
    <SettingsFrame title="Password" note="A new password ends all of your sessions except this one. Keys keep working.">
      <form onSubmit={submit} className="max-w-[420px]">
        {/* For password managers, which need the name that belongs to the password. */}
        <input type="hidden" name="username" autoComplete="username" value={user?.email ?? ''} />
        <Field
          label="Current password"
          type="password"
          name="current-password"
          autoComplete="current-password"
          required
          value={current}
          onChange={setCurrent}
          problem={about('current_password')}
        />
        <Field
          label="New password"
          type="password"
          name="new-password"
          autoComplete="new-password"
          required
          value={next}
          onChange={setNext}
          check={checkPassword}
          problem={about('new_password')}
          help="At least 10 characters."
        />
        <FormProblem text={problem} />
        <Button kind="primary" type="submit" busy={busy} disabled={current === '' || checkPassword(next) !== undefined}>
          Change password
        </Button>
      </form>
    </SettingsFrame>
  );
}
