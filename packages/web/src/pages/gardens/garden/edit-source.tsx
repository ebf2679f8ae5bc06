import type { GardenSource } from '@hortus/contract/resources/garden-source-records';
import type { Garden } from '@hortus/contract/resources/gardens';
import { useState } from 'react';
import { useOrder } from '../../../api/query.ts';
import { Button } from '../../../parts/button.tsx';
import { CheckField } from '../../../parts/check-field.tsx';
import { Dialog } from '../../../parts/dialog.tsx';
import { FormProblem } from '../../../parts/form/form-problem.tsx';
import { useSubmission } from '../../../parts/form/submission.ts';
import { toast } from '../../../parts/toast.tsx';
import { credentialsOf, SourceFields, sourceFieldNames, type TypedSource } from '../source-fields.tsx';

/** Changes the source of a garden. The stored token is never shown, so an empty field keeps it. */
export function EditSource({
  garden: { id, name },
  source,
  onClose,
}: {
  garden: Garden;
  source: GardenSource;
  onClose: () => void;
}) {
  const { url, branch, path, mode, provider, interval, prune } = source;
  const [typed, setTyped] = useState<TypedSource>({
    ...{ url, branch, path, mode, prune, token: '', username: '' },
    provider: provider ?? '',
    interval: String(interval),
  });
  const [forgetToken, setForgetToken] = useState(false);
  const update = useOrder('gardens.update');
  const { busy, submit, about, problem } = useSubmission(async () => {
    const credentials = forgetToken ? null : credentialsOf(typed);
    const body = {
      ...(typed.url !== url && { url: typed.url }),
      ...{ branch: typed.branch, path: typed.path, mode: typed.mode, prune: typed.prune },
      interval: Number(typed.interval),
      ...(typed.provider && { provider: typed.provider }),
      ...(credentials !== undefined && { credentials }),
    };
    await update.mutateAsync({ params: { id }, body });
    toast(`${name} is changed.`);
    onClose();
  }, sourceFieldNames);
  const title = `Edit ${name}`;
  return (
    <Dialog title={title} onClose={onClose}>
      <form onSubmit={submit}>
        <h2>{title}</h2>
        <p className="mb-5 text-ink-2">From then on commits are applied with your permissions.</p>
        <SourceFields
          typed={typed}
          onChange={setTyped}
          about={about}
          tokenNote={source.has_credentials ? 'empty keeps it' : 'for a private repository'}
        />
        {source.has_credentials && (
          <CheckField label="Remove the stored access token" checked={forgetToken} onChange={setForgetToken} />
        )}
        <FormProblem text={problem} />
        <div className="dialog-foot">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" busy={busy} disabled={!URL.canParse(typed.url)}>
            Save
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
