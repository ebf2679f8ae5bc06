import type { CheckedDraft } from '@hortus/contract/resources/drafts';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import { client } from '../../../api/client.ts';
import { problemText } from '../../../api/problem.ts';
import { FindingList } from './finding-list.tsx';
import type { Finding } from './findings.ts';
import type { Schema } from './suggestions.ts';
import type { EditorHandle } from './template-editor.tsx';

/** CodeMirror is larger than all pages of templates together, which are shown while it loads. */
const TemplateEditor = lazy(async () => ({ default: (await import('./template-editor.tsx')).TemplateEditor }));

/** One examination for a pause in typing, not for a letter: the Free plan has 60 requests a minute. */
const PAUSE_MS = 900;

interface Known {
  readonly source: string;
  readonly findings: readonly Finding[];
}

/** The editor with the findings of the service for what it shows. `known` are those of the text that it begins with. */
export function CheckedEditor({
  value,
  onChange,
  known,
  onChecked,
}: {
  value: string;
  onChange: (value: string) => void;
  known: Known;
  onChecked?: (checked: CheckedDraft) => void;
}) {
  const editor = useRef<EditorHandle>(null);
  const { data: schema } = useQuery({
    queryKey: ['schema of templates'],
    queryFn: async ({ signal }) => (await (await fetch('/schemas/template.json', { signal })).json()) as Schema,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const { findings, isChecking, problem } = useFindings(value, known, onChecked);
  return (
    <div>
      <Suspense fallback={<div className="editor" />}>
        <TemplateEditor
          ref={editor}
          label="Template as YAML"
          value={value}
          onChange={onChange}
          findings={findings}
          schema={schema}
        />
      </Suspense>
      {problem && (
        <p role="alert" className="notice bad mt-3">
          {problem}
        </p>
      )}
      <FindingList findings={findings} isChecking={isChecking} onGo={(finding) => editor.current?.goTo(finding)} />
    </div>
  );
}

function useFindings(source: string, known: Known, onChecked?: (checked: CheckedDraft) => void) {
  const [checked, setChecked] = useState<Known & { problem?: string }>(known);
  const isCurrent = checked.source === source;
  useEffect(() => {
    if (isCurrent) return undefined;
    const leaving = new AbortController();
    const timer = setTimeout(async () => {
      try {
        const { data } = await client.call('drafts.check', { body: { source }, signal: leaving.signal });
        setChecked({ source, findings: data.findings });
        onChecked?.(data);
      } catch (error) {
        if (!leaving.signal.aborted) setChecked((before) => ({ ...before, source, problem: problemText(error) }));
      }
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      leaving.abort();
    };
  }, [source, isCurrent, onChecked]);
  return { findings: checked.findings, problem: checked.problem, isChecking: !isCurrent };
}
