import { type ReactNode, useState } from 'react';
import { client } from '../../api/client.ts';
import { Button } from '../../parts/button.tsx';
import { Field } from '../../parts/field.tsx';
import { FormProblem } from '../../parts/form/form-problem.tsx';
import { useSubmission } from '../../parts/form/submission.ts';
import { useLinkToken } from '../outside/link-token.ts';
import { Outside } from '../outside/outside.tsx';
import { checkPassword } from '../outside/password-rule.ts';
import { useSignedIn } from '../outside/signed-in.ts';

/** First run: the link that npm start printed. */
export function WelcomePage(): ReactNode {
  const token = useLinkToken();
  const [name, setName] = useState('');
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const signedIn = useSignedIn();
  const { busy, submit, about, problem } = useSubmission(async () => {
    const body = { token, name, password, ...(email && { email }) };
    const { data } = await client.call('members.firstRun', { body });
    await signedIn(data);
  });
  return (
    <Outside
      title="Welcome"
      sentence="This installation is yours. Say who you are and choose a password; the link that you followed works only once."
    >
      <form onSubmit={submit}>
        <Field
          label="Your name"
          name="name"
          autoComplete="name"
          required
          maxLength={120}
          autoFocus
          value={name}
          onChange={setName}
          problem={about('name')}
        />
        <Field
          label="Email"
          type="email"
          name="email"
          autoComplete="username"
          required
          value={email}
          onChange={setEmail}
          problem={about('email')}
          help="You sign in with it. Nothing is sent to it."
        />
        <Field
          label="Password"
          type="password"
          name="password"
          autoComplete="new-password"
          required
          value={password}
          onChange={setPassword}
          check={checkPassword}
          problem={about('password')}
          help="At least 10 characters."
        />
        <FormProblem text={problem} />
        <Button kind="primary" type="submit" busy={busy} className="w-full">
          Begin
        </Button>
      </form>
    </Outside>
  );
}
