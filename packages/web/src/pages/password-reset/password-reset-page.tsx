import { useRouter } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { client } from '../../api/client.ts';
import { Button } from '../../parts/button.tsx';
import { Field } from '../../parts/field.tsx';
import { FormProblem } from '../../parts/form/form-problem.tsx';
import { useSubmission } from '../../parts/form/submission.ts';
import { useLinkToken } from '../outside/link-token.ts';
import { Outside } from '../outside/outside.tsx';
import { checkPassword } from '../outside/password-rule.ts';

/** The link of a password reset. */
export function PasswordResetPage(): ReactNode {
  const token = useLinkToken();
  const [password, setPassword] = useState('');
  const router = useRouter();
  const { busy, submit, about, problem } = useSubmission(async () => {
    await client.call('members.setPassword', { body: { token, new_password: password } });
    await router.navigate({ to: '/sign-in' });
  });
  return (
    <Outside title="Set a new password" sentence="It ends all your sessions. Then sign in with the new password.">
      <form onSubmit={submit}>
        <Field
          label="New password"
          type="password"
          name="password"
          autoComplete="new-password"
          required
          autoFocus
          value={password}
          onChange={setPassword}
          check={checkPassword}
          problem={about('new_password')}
          help="At least 10 characters."
        />
        <FormProblem text={problem} />
        <Button kind="primary" type="submit" busy={busy} className="w-full">
          Set password
        </Button>
      </form>
    </Outside>
  );
}
