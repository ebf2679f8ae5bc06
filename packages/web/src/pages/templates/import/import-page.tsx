import { ApiProblem } from '@hortus/client/problem';
import type { CheckedDraft } from '@hortus/contract/resources/drafts';
import { Link, useNavigate } from '@tanstack/react-router';
import { type ReactNode, useCallback, useState } from 'react';
import { problemText } from '../../../api/problem.ts';
import { useOrder } from '../../../api/query.ts';
import { Button } from '../../../parts/button.tsx';
import { Section } from '../../../parts/page.tsx';
import { RecordPage } from '../../../parts/record-page.tsx';
import { CheckedEditor } from '../editor/checked-editor.tsx';
import { ComposeField } from './compose-field.tsx';
import { Outcome } from './outcome.tsx';
import { WayIn } from './way-in.tsx';

/** A Compose file becomes a template: shows what was understood, and keeps it only when asked to. */
export function ImportPage(): ReactNode {
  const navigate = useNavigate();
  const check = useOrder('drafts.check');
  const create = useOrder('drafts.create');
  const [compose, setCompose] = useState('');
  const [made, setMade] = useState<CheckedDraft>();
  const [source, setSource] = useState('');
  const [access, setAccess] = useState<CheckedDraft['permissions']>([]);
  const noteAccess = useCallback((checked: CheckedDraft) => setAccess(checked.permissions), []);
  const [env, setEnv] = useState('');
  async function convert(text: string, ports?: Readonly<Record<string, number>>) {
    const beside = { ...(env.trim() !== '' && { env }), ...(ports && { ports }) };
    const { data } = await check.mutateAsync({ body: { compose: text, ...beside } });
    setMade(data);
    setSource(data.source);
    setAccess(data.permissions);
  }
  async function keep() {
    const { data } = await create.mutateAsync({ body: { source } });
    await navigate({ to: '/templates/$id', params: { id: data.id } });
  }
  return (
    <RecordPage
      title="Import a Compose file"
      crumbs={[
        <Link key="catalog" to="/catalog">
          Catalog
        </Link>,
        <Link key="templates" to="/templates">
          Your templates
        </Link>,
      ]}
      lead="Paste it or drop it. You see what was inferred, what was left out and what is dangerous, and can edit the template before it is kept."
      actions={
        made && (
          <Button kind="primary" busy={create.isPending} onClick={() => keep().catch(() => undefined)}>
            Keep as a draft
          </Button>
        )
      }
    >
      <ComposeField
        value={compose}
        onChange={setCompose}
        onInput={(text) => {
          setCompose(text);
          convert(text).catch(() => undefined);
        }}
        env={env}
        onEnv={setEnv}
        isBusy={check.isPending}
        isOpen={made === undefined}
      />
      {[check.error, create.error].map((error) => error && <Refusal key={problemText(error)} error={error} />)}
      {made && made.questions.length > 0 && (
        <WayIn
          key={made.source}
          questions={made.questions}
          isBusy={check.isPending}
          onReplied={(ports) => void convert(compose, ports).catch(() => undefined)}
        />
      )}
      {made && (
        <div className="template-columns">
          <Section title="The template">
            <CheckedEditor key={made.source} value={source} onChange={setSource} known={made} onChecked={noteAccess} />
          </Section>
          <Outcome made={made} access={access} />
        </div>
      )}
    </RecordPage>
  );
}

/** Why a file is refused, with all places if the service names several. */
function Refusal({ error }: { error: unknown }) {
  const findings = error instanceof ApiProblem && Array.isArray(error.details.findings) ? error.details.findings : [];
  return (
    <div role="alert" className="notice bad">
      <p>{problemText(error)}</p>
      {findings.length > 1 && (
        <ul className="mt-1">
          {(findings as { line: number; message: string }[]).slice(0, 20).map(({ line, message }) => (
            <li key={`${line} ${message}`}>
              Line {line}: {message}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
