import type { UpdatedGarden } from '@hortus/contract/resources/garden-sources';
import type { Garden } from '@hortus/contract/resources/gardens';
import { useState } from 'react';
import { useOrder } from '../../../api/query.ts';
import { Button } from '../../../parts/button.tsx';
import { Dialog } from '../../../parts/dialog.tsx';
import { FormProblem } from '../../../parts/form/form-problem.tsx';
import { useSubmission } from '../../../parts/form/submission.ts';
import { WebhookSettings } from '../webhook-settings.tsx';

/** Replaces the secret of the push webhook and shows the new one once. */
export function RotateSecret({ garden: { id, name }, onClose }: { garden: Garden; onClose: () => void }) {
  const [updated, setUpdated] = useState<UpdatedGarden>();
  const update = useOrder('gardens.update');
  const { busy, submit, problem } = useSubmission(async () => {
    setUpdated((await update.mutateAsync({ params: { id }, body: { rotate_secret: true } })).data);
  }, []);
  if (updated?.webhook)
    return (
      <WebhookSettings
        title={`New secret for ${name}`}
        provider={updated.source?.provider ?? null}
        webhook={updated.webhook}
        onStored={onClose}
      />
    );
  const title = `New webhook secret for ${name}`;
  return (
    <Dialog title={title} onClose={onClose}>
      <form onSubmit={submit}>
        <h2>{title}</h2>
        <p className="mb-5 text-ink-2">
          The old secret ends at once. Until the forge has the new one, pushes are found at the next interval. Commits
          are then applied with your permissions.
        </p>
        <FormProblem text={problem} />
        <div className="dialog-foot">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" busy={busy}>
            Create secret
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
