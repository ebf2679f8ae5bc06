import { useSearch } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { client } from '../../api/client.ts';
import { Button } from '../../parts/button.tsx';
import { Field } from '../../parts/field.tsx';
import { FormProblem } from '../../parts/form/form-problem.tsx';
import { useSubmission } from '../../parts/form/submission.ts';
import { Outside } from '../outside/outside.tsx';
import { useSignedIn } from '../outside/signed-in.ts';

export function SignInPage(): ReactNode {
  const { to } = useSearch({ from: '/sign-in' });
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const signedIn = useSignedIn();
  const { busy, submit, about, problem } = useSubmission(async () => {
    const { data } = await client.call('account.login', { body: { email, password } });
    await signedIn(data, to);
  });
  return (
    <Outside title="Sign in">
      <form onSubmit={submit}>
        <Field
          label="Email"
          type="email"
          name="email"
          autoComplete="username"
          required
          autoFocus
          value={email}
          onChange={setEmail}
          problem={about('email')}
        />
        <Field
          label="Password"
          type="password"
          name="password"
          autoComplete="current-password"
          required
          value={password}
          onChange={setPassword}
          problem={about('password')}
        />
        <FormProblem text={problem} />
        <Button kind="primary" type="submit" busy={busy} className="w-full">
          Sign in
        </Button>
        <p className="mt-5 text-sm text-ink-3">
          Forgotten? An owner of your account can make a link that sets a new password.
        </p>
      </form>
    </Outside>
  );
}
