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

/** The link of an invite. */
export function InvitePage(): ReactNode {
  const token = useLinkToken();
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  const signedIn = useSignedIn();
  const { busy, submit, about, problem } = useSubmission(async () => {
    const { data } = await client.call('members.accept', { body: { token, password, ...(name && { name }) } });
    await signedIn(data);
  });
  return (
    <Outside title="You are invited" sentence="Choose a password to join. The link works once and for seven days.">
      <form onSubmit={submit}>
        <Field
          label="Your name"
          name="name"
          autoComplete="name"
          maxLength={120}
          autoFocus
          value={name}
          onChange={setName}
          problem={about('name')}
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
          Join
        </Button>
      </form>
    </Outside>
  );
}
