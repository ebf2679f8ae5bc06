import type { DraftDetail } from '@hortus/contract/resources/drafts';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { type ReactNode, useEffect, useState } from 'react';
import { problemText } from '../../api/problem.ts';
import { useApi, useOrder } from '../../api/query.ts';
import { useMay } from '../../api/session.ts';
import { Button } from '../../parts/button.tsx';
import { Mark } from '../../parts/mark.tsx';
import { RecordPage } from '../../parts/record-page.tsx';
import { Skeleton, Trouble } from '../../parts/waiting.tsx';
import { DeployTests } from './deploy-tests.tsx';
import { CheckedEditor } from './editor/checked-editor.tsx';
import { Moves } from './moves.tsx';
import { TemplateWay } from './template-status.tsx';

/** One template of the account: its text, its findings, its tests and its way to publication. */
export function TemplatePage(): ReactNode {
  const { id } = useParams({ from: '/frame/templates/$id' });
  const { data, error } = useApi('drafts.read', { params: { id } });
  const draft = data?.data;
  const crumbs = [
    <Link key="catalog" to="/catalog">
      Catalog
    </Link>,
    <Link key="templates" to="/templates">
      Your templates
    </Link>,
  ];
  if (!draft)
    return (
      <RecordPage title="Template" crumbs={crumbs} lead={<span className="block h-[1lh]" />}>
        {error ? <Trouble error={error} /> : <Skeleton lines={14} />}
      </RecordPage>
    );
  return <Template key={draft.id} draft={draft} crumbs={crumbs} />;
}

function Template({ draft, crumbs }: { draft: DraftDetail; crumbs: Parameters<typeof RecordPage>[0]['crumbs'] }) {
  const { id, name, species, family, version, status } = draft;
  const may = useMay();
  const navigate = useNavigate();
  const save = useOrder('drafts.create');
  const [source, setSource] = useState(draft.source);
  const [stored, setStored] = useState(draft.source);
  // Another person may save it; keep what is being typed here.
  useEffect(() => {
    setSource((typed) => (typed === stored ? draft.source : typed));
    setStored(draft.source);
  }, [draft.source, stored]);
  const isChanged = source !== stored;
  const mayWrite = may('templates:write');
  async function keep() {
    const { data } = await save.mutateAsync({ body: { source } });
    setStored(source);
    if (data.id !== id) await navigate({ to: '/templates/$id', params: { id: data.id } });
  }
  return (
    <RecordPage
      title={`${name} ${version}`}
      crumbs={crumbs}
      picture={<Mark species={species} family={family} size={60} />}
      lead={<TemplateWay status={status} />}
      actions={
        mayWrite && (
          <>
            {isChanged && (
              <Button kind="primary" busy={save.isPending} onClick={() => keep().catch(() => undefined)}>
                Save draft
              </Button>
            )}
            {!isChanged && <Moves draft={draft} />}
          </>
        )
      }
    >
      {save.error && (
        <p role="alert" className="notice bad">
          {problemText(save.error)}
        </p>
      )}
      {status === 'published' && mayWrite && (
        <p className="notice">
          A published version never changes. To change it, raise the version in the text and save: that is a new draft.
        </p>
      )}
      <div className="template-columns">
        <CheckedEditor value={source} onChange={setSource} known={draft} />
        <DeployTests draft={draft} canTest={mayWrite && !isChanged && status !== 'published'} />
      </div>
    </RecordPage>
  );
}
