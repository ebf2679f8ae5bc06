import type { Upgrade } from '@hortus/contract/resources/upgrades';
import { useState } from 'react';
import { useOrder } from '../../../api/query.ts';
import { counted } from '../../../parts/amount.ts';
import { Button } from '../../../parts/button.tsx';
import { CheckField } from '../../../parts/check-field.tsx';
import { Dialog } from '../../../parts/dialog.tsx';
import { FormProblem } from '../../../parts/form/form-problem.tsx';
import { useSubmission } from '../../../parts/form/submission.ts';
import { toast } from '../../../parts/toast.tsx';
import { toggled } from '../../../parts/toggled.ts';

/** Applies several upgrades, one after another. */
export function ApplyAll({ upgrades, onClose }: { upgrades: readonly Upgrade[]; onClose: () => void }) {
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const apply = useOrder('upgrades.applyAll');
  const chosen = upgrades.filter(({ id }) => !left.has(id));
  const { busy, submit, problem } = useSubmission(async () => {
    await apply.mutateAsync({ body: { upgrade_ids: chosen.map(({ id }) => id) } });
    toast(`${counted(chosen.length, 'upgrade')} started, one after another.`);
    onClose();
  }, []);
  const toggle = (id: string) => setLeft(toggled(left, id));
  return (
    <Dialog title="Apply upgrades" onClose={onClose}>
      <form onSubmit={submit}>
        <h2>Apply upgrades</h2>
        <p className="mb-4 text-ink-2">
          Each starts when the previous one is applied; the first failure stops the rest. An instance that becomes
          unhealthy is rolled back.
        </p>
        <div className="choices padded">
          {upgrades.map(({ id, instance_name, species, from_version, to_version, irreversible }) => (
            <CheckField
              key={id}
              label={`${instance_name}: ${species} ${from_version} → ${to_version}`}
              help={irreversible.length > 0 ? 'A rollback would not undo all of it.' : undefined}
              checked={!left.has(id)}
              onChange={() => toggle(id)}
            />
          ))}
        </div>
        <FormProblem text={problem} />
        <div className="dialog-foot">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" busy={busy} disabled={chosen.length === 0}>
            Apply {counted(chosen.length, 'upgrade')}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
