import type { RecipeDetail } from '@hortus/contract/resources/recipes';
import { useState } from 'react';
import { useOrder, useRenew } from '../../../api/query.ts';
import { Button } from '../../../parts/button.tsx';
import { Dialog } from '../../../parts/dialog.tsx';
import { FormProblem } from '../../../parts/form/form-problem.tsx';
import { useSubmission } from '../../../parts/form/submission.ts';
import { TextArea } from '../../../parts/text-area.tsx';

/** Rejects a recipe with a reason for its author. */
export function RejectRecipe({ recipe: { id, name }, onClose }: { recipe: RecipeDetail; onClose: () => void }) {
  const [reason, setReason] = useState('');
  const reject = useOrder('recipes.reject');
  const renew = useRenew();
  const { busy, submit, about, problem } = useSubmission(async () => {
    await reject.mutateAsync({ params: { id }, body: { reason: reason.trim() || null } });
    renew('recipes.');
    onClose();
  }, ['reason']);
  return (
    <Dialog title={`Reject ${name}`} onClose={onClose}>
      <form onSubmit={submit}>
        <h2 className="mb-5">Reject {name}</h2>
        <TextArea
          label="Reason"
          note="shown to the author"
          autoFocus
          maxLength={2000}
          value={reason}
          onChange={setReason}
          problem={about('reason')}
        />
        <FormProblem text={problem} />
        <div className="dialog-foot">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="danger-filled" type="submit" busy={busy}>
            Reject {name}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
