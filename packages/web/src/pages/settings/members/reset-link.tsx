import type { User } from '@hortus/contract/resources/sign-in';
import { useState } from 'react';
import { useOrder } from '../../../api/query.ts';
import { Button } from '../../../parts/button.tsx';
import { Dialog } from '../../../parts/dialog.tsx';
import { FormProblem } from '../../../parts/form/form-problem.tsx';
import { useSubmission } from '../../../parts/form/submission.ts';
import { ShownOnce } from '../../../parts/shown-once.tsx';

/** Creates a link with which a person sets a new password. */
export function ResetLinkDialog({ user: { id, email }, onClose }: { user: User; onClose: () => void }) {
  const [link, setLink] = useState<string>();
  const order = useOrder('members.resetPassword');
  const { busy, submit, problem } = useSubmission(async () => {
    setLink((await order.mutateAsync({ params: { id } })).data.reset_url);
  }, []);
  const title = `Password reset link for ${email}`;
  if (link)
    return (
      <ShownOnce title={title} secret={link} label="Copy link" onStored={onClose}>
        Pass this link on yourself; anyone with the link can sign in as {email}. It works once and for one day.
      </ShownOnce>
    );
  return (
    <Dialog title={title} onClose={onClose}>
      <form onSubmit={submit}>
        <h2>{title}</h2>
        <p className="mb-4 text-ink-2">
          The link sets a new password and ends their sessions. A link that was created before stops working.
        </p>
        <FormProblem text={problem} />
        <div className="dialog-foot">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" busy={busy}>
            Create link
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
