import type { DraftDetail } from '@hortus/contract/resources/drafts';
import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useOrder } from '../../api/query.ts';
import { Button } from '../../parts/button.tsx';
import { ConfirmDanger } from '../../parts/confirm-danger.tsx';
import { toast, toastProblem } from '../../parts/toast.tsx';

/** The next move of a template: validate a draft, publish what is validated, deprecate what is published. */
export function Moves({ draft }: { draft: DraftDetail }) {
  const { id, name, species, status, deprecated } = draft;
  const params = { id };
  const queries = useQueryClient();
  const [isAsking, setAsking] = useState(false);
  const validate = useOrder('drafts.validate');
  const promote = useOrder('drafts.promote');
  const deprecate = useOrder('drafts.deprecate');
  const renew = () =>
    queries.invalidateQueries({
      predicate: ({ queryKey }) => /^(drafts|catalog|templates)\./.test(String(queryKey[0])),
    });
  async function examine() {
    const { data } = await validate.mutateAsync({ params });
    await renew();
    if (!data.valid) toast(`${name} has errors; it stays a draft. They are listed below the text.`, { tone: 'warn' });
  }
  async function publish() {
    await promote.mutateAsync({ params });
    await renew();
    toast(`${name} is published for this account.`);
  }
  if (status === 'draft')
    return (
      <Button
        kind="primary"
        busy={validate.isPending}
        onClick={() => examine().catch(toastProblem('Could not validate it.'))}
      >
        Validate
      </Button>
    );
  if (status === 'validated')
    return (
      <Button
        kind="primary"
        busy={promote.isPending}
        onClick={() => publish().catch(toastProblem('Could not publish it.'))}
      >
        Publish
      </Button>
    );
  return (
    <>
      {!deprecated && (
        <Button kind="danger" onClick={() => setAsking(true)}>
          Deprecate…
        </Button>
      )}
      <Link to="/catalog/$species" params={{ species }} className="btn primary">
        Open in the catalog
      </Link>
      {isAsking && (
        <ConfirmDanger
          action="Deprecate"
          name={species}
          onClose={() => setAsking(false)}
          onConfirm={async () => {
            await deprecate.mutateAsync({ params });
            await renew();
          }}
        >
          What runs keeps running. New definitions should use another template; this cannot be undone for this version.
        </ConfirmDanger>
      )}
    </>
  );
}
