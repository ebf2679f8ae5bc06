import type { DaemonUpdateDetail } from '@hortus/contract/resources/daemon-updates';
import { useState } from 'react';
import { useOrder } from '../../api/query.ts';
import { useMay } from '../../api/session.ts';
import { counted } from '../../parts/amount.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { toast, toastProblem } from '../../parts/toast.tsx';

/** Continues a halted update, or cancels one that has not ended; both are asked for first. */
export function UpdateActions({ update, reread }: { update: DaemonUpdateDetail; reread: () => Promise<unknown> }) {
  const { id, status, targets } = update;
  const [asking, setAsking] = useState<'continue' | 'cancel'>();
  const proceed = useOrder('daemon-updates.continue');
  const cancel = useOrder('daemon-updates.cancel');
  const mayChange = useMay()('servers:write');
  if (!mayChange || (status !== 'running' && status !== 'halted')) return null;
  const left = counted(targets.filter((target) => target.status === 'queued').length, 'server');
  const close = () => setAsking(undefined);
  const decide = (order: typeof proceed | typeof cancel, done: string) =>
    order
      .mutateAsync({ params: { id } })
      .then(async () => {
        await reread();
        toast(done);
      }, toastProblem('The update stays as it is.'))
      .finally(close);
  return (
    <>
      <Button onClick={() => setAsking('cancel')}>Cancel update…</Button>
      {status === 'halted' && (
        <Button kind="primary" onClick={() => setAsking('continue')}>
          Continue…
        </Button>
      )}
      {asking === 'continue' && (
        <Dialog title="Continue the update" onClose={close}>
          <h2>Continue the update</h2>
          <p className="text-ink-2">
            The failures so far are accepted. {left} left, updated stage by stage; the next failure halts them again.
          </p>
          <div className="dialog-foot">
            <Button onClick={close}>Not now</Button>
            <Button kind="primary" busy={proceed.isPending} onClick={() => decide(proceed, 'The update continues.')}>
              Continue the update
            </Button>
          </div>
        </Dialog>
      )}
      {asking === 'cancel' && (
        <Dialog title="Cancel the update" onClose={close}>
          <h2>Cancel the update</h2>
          <p className="text-ink-2">
            {left} left as they are. Daemons that have begun finish, and their results are shown here.
          </p>
          <div className="dialog-foot">
            <Button onClick={close}>Not now</Button>
            <Button kind="danger" busy={cancel.isPending} onClick={() => decide(cancel, 'The update was cancelled.')}>
              Cancel the update
            </Button>
          </div>
        </Dialog>
      )}
    </>
  );
}
