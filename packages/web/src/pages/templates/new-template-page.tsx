import { Link, useNavigate } from '@tanstack/react-router';
import { type ReactNode, useMemo, useState } from 'react';
import { problemText } from '../../api/problem.ts';
import { useOrder } from '../../api/query.ts';
import { Button } from '../../parts/button.tsx';
import { RecordPage } from '../../parts/record-page.tsx';
import { CheckedEditor } from './editor/checked-editor.tsx';
import { STARTER } from './starter.ts';

/** A template written by hand; kept as a draft when asked to. */
export function NewTemplatePage(): ReactNode {
  const navigate = useNavigate();
  const create = useOrder('drafts.create');
  const [source, setSource] = useState(STARTER);
  const known = useMemo(() => ({ source: STARTER, findings: [] }), []);
  async function keep() {
    const { data } = await create.mutateAsync({ body: { source } });
    await navigate({ to: '/templates/$id', params: { id: data.id } });
  }
  return (
    <RecordPage
      title="New template"
      crumbs={[
        <Link key="catalog" to="/catalog">
          Catalog
        </Link>,
        <Link key="templates" to="/templates">
          Your templates
        </Link>,
      ]}
      lead="Control and space suggest what can stand at the cursor. Nothing is stored until you keep it."
      actions={
        <Button kind="primary" busy={create.isPending} onClick={() => keep().catch(() => undefined)}>
          Keep as a draft
        </Button>
      }
    >
      {create.error && (
        <p role="alert" className="notice bad">
          {problemText(create.error)}
        </p>
      )}
      <CheckedEditor value={source} onChange={setSource} known={known} />
    </RecordPage>
  );
}
