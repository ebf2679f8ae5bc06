import type { GardenCommitDetail } from '@hortus/contract/resources/garden-source-records';
import { useState } from 'react';
import { useOrder } from '../../../api/query.ts';
import { useMay } from '../../../api/session.ts';
import { counted } from '../../../parts/amount.ts';
import { Button } from '../../../parts/button.tsx';
import { ConfirmDanger } from '../../../parts/confirm-danger.tsx';
import { Dialog } from '../../../parts/dialog.tsx';
import { Field } from '../../../parts/field.tsx';
import { FormProblem } from '../../../parts/form/form-problem.tsx';
import { useSubmission } from '../../../parts/form/submission.ts';
import { toast } from '../../../parts/toast.tsx';
import { countsText } from '../plan-changes.tsx';

interface Decision {
  /** Of the garden. */
  readonly name: string;
  readonly commit: GardenCommitDetail;
  /** Reads the commit again, also after a refusal: its plan may be another one now. */
  readonly reread: () => Promise<unknown>;
}

/** Approves or rejects a commit that waits. */
export function Decide(decision: Decision) {
  const { status, plan_hash } = decision.commit;
  const mayChange = useMay()('gardens:write');
  const [open, setOpen] = useState<'approve' | 'reject'>();
  if (!mayChange || status !== 'waiting' || plan_hash === null) return null;
  const close = () => setOpen(undefined);
  return (
    <>
      <Button onClick={() => setOpen('reject')}>Reject…</Button>
      <Button kind="primary" onClick={() => setOpen('approve')}>
        Approve…
      </Button>
      {open === 'approve' && <Approve {...decision} onClose={close} />}
      {open === 'reject' && <Reject {...decision} onClose={close} />}
    </>
  );
}

/** Approves exactly the plan that is shown. What removes something asks for the name. */
function Approve({ name, commit, reread, onClose }: Decision & { onClose: () => void }) {
  const { garden_id: id, id: commit_id, plan_hash, counts, plan } = commit;
  const approve = useOrder('gardens.approve');
  const order = async () => {
    try {
      await approve.mutateAsync({ params: { id, commit_id }, body: { plan_hash: plan_hash ?? '' } });
    } finally {
      await reread();
    }
    toast(`${name} is being applied.`, { tone: 'now' });
  };
  const { busy, submit, problem } = useSubmission(async () => {
    await order();
    onClose();
  }, []);
  const words = counts ? `${countsText(counts)}.` : '';
  const about = `${words} It is applied with your permissions, up to the first failure.`;
  if (counts && counts.archive + counts.remove > 0)
    return (
      <ConfirmDanger action="Apply to" name={name} onConfirm={order} onClose={onClose}>
        {about} What is archived or removed is stopped.
      </ConfirmDanger>
    );
  const changes = counted(plan?.changes.length ?? 0, 'change');
  return (
    <Dialog title={`Apply ${changes} to ${name}`} onClose={onClose}>
      <form onSubmit={submit}>
        <h2>
          Apply {changes} to {name}
        </h2>
        <p className="mb-5 text-ink-2">{about}</p>
        <FormProblem text={problem} />
        <div className="dialog-foot">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" busy={busy}>
            Apply to {name}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

function Reject({ name, commit, reread, onClose }: Decision & { onClose: () => void }) {
  const { garden_id: id, id: commit_id } = commit;
  const [comment, setComment] = useState('');
  const reject = useOrder('gardens.reject');
  const { busy, submit, about, problem } = useSubmission(async () => {
    await reject.mutateAsync({ params: { id, commit_id }, body: comment ? { comment } : {} });
    await reread();
    toast('Rejected; nothing was changed.');
    onClose();
  }, ['comment']);
  const title = `Reject this commit of ${name}`;
  return (
    <Dialog title={title} onClose={onClose}>
      <form onSubmit={submit}>
        <h2>{title}</h2>
        <p className="mb-5 text-ink-2">Nothing is changed. The next commit is planned again.</p>
        <Field
          label="Why"
          note="optional"
          autoFocus
          maxLength={500}
          value={comment}
          onChange={setComment}
          problem={about('comment')}
        />
        <FormProblem text={problem} />
        <div className="dialog-foot">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="danger" type="submit" busy={busy}>
            Reject
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
