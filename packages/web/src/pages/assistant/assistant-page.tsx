import type { AssistantAnswer, AssistantSource } from '@hortus/contract/resources/copilot';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { useApi, useOrder } from '../../api/query.ts';
import { Button } from '../../parts/button.tsx';
import { ExpiryTime } from '../../parts/expiry-time.tsx';
import { FormProblem } from '../../parts/form/form-problem.tsx';
import { useSubmission } from '../../parts/form/submission.ts';
import { Mark } from '../../parts/mark.tsx';
import { Page, Section } from '../../parts/page.tsx';
import { TextArea } from '../../parts/text-area.tsx';

const EXAMPLES = [
  'Which template gives me a blog with comments?',
  'How do I move an instance to another server?',
  'What can replace Google Photos?',
];

interface Asked {
  readonly id: number;
  readonly question: string;
  readonly answer: AssistantAnswer;
}

/** Questions about the catalog and the documentation, answered with sources. */
export function AssistantPage(): ReactNode {
  const usage = useApi('copilot.usage');
  const [question, setQuestion] = useState('');
  const [asked, setAsked] = useState<readonly Asked[]>([]);
  const ask = useOrder('copilot.ask');
  const { busy, submit, about, problem } = useSubmission(async () => {
    const { data } = await ask.mutateAsync({ body: { question } });
    setAsked((before) => [{ id: before.length, question, answer: data }, ...before]);
    setQuestion('');
    void usage.refetch();
  }, ['question']);
  return (
    <Page
      title="Assistant"
      sentence={
        <>
          Ask the catalog. <em>Every answer names its sources.</em>
        </>
      }
    >
      <form onSubmit={submit} className="mb-9 max-w-[720px]">
        <TextArea
          label="Question"
          note="not stored"
          rows={3}
          maxLength={2000}
          value={question}
          onChange={setQuestion}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) event.currentTarget.form?.requestSubmit();
          }}
          problem={about('question')}
        />
        <FormProblem text={problem} />
        <div className="flex flex-wrap items-center gap-4">
          <Button kind="primary" type="submit" busy={busy} disabled={question.trim() === ''}>
            Ask
          </Button>
          {usage.data && (
            <span className="text-sm text-ink-3">
              {usage.data.data.questions} of {usage.data.data.limit.toLocaleString()} questions this month; new ones{' '}
              <ExpiryTime at={usage.data.data.resets_at} />
            </span>
          )}
        </div>
      </form>
      {asked.length === 0 ? (
        <Section title="For example">
          <ul className="records max-w-[720px]">
            {EXAMPLES.map((example) => (
              <li key={example}>
                <button type="button" className="link text-left" onClick={() => setQuestion(example)}>
                  {example}
                </button>
              </li>
            ))}
          </ul>
        </Section>
      ) : (
        <div aria-live="polite">
          {asked.map((asked) => (
            <Reply key={asked.id} {...asked} />
          ))}
        </div>
      )}
    </Page>
  );
}

function Reply({ question, answer: { answer: reply, sources, found, model } }: Asked) {
  return (
    <article className="mb-9 max-w-[720px] border-t border-line-strong pt-5">
      <h2 className="font-serif text-xl font-[450] [overflow-wrap:anywhere]">{question}</h2>
      <p className="mt-2 mb-4 whitespace-pre-wrap text-ink-2 [overflow-wrap:anywhere]">{reply}</p>
      {!found && <p className="mb-4 text-sm text-warn-ink">Neither the catalog nor the documentation has a match.</p>}
      {sources.length > 0 && (
        <>
          <h3 className="mb-1 text-sm">Sources</h3>
          <ul className="records">
            {sources.map((source) => (
              <li key={`${source.type} ${source.reference}`}>
                <Source source={source} />
              </li>
            ))}
          </ul>
        </>
      )}
      {model && <p className="mt-2 text-xs text-ink-3">Written by {model}; check what it says against the sources.</p>}
    </article>
  );
}

function Source({ source: { type, title, reference, excerpt } }: { source: AssistantSource }) {
  return (
    <div className="flex gap-3">
      {type === 'template' && <Mark species={reference} family={null} size={30} />}
      <div className="min-w-0">
        {type === 'template' ? (
          <Link to="/catalog/$species" params={{ species: reference }} className="link">
            {title}
          </Link>
        ) : (
          <b className="font-[550]">{title}</b>
        )}{' '}
        {type === 'documentation' && <code className="text-ink-3">{reference}</code>}
        <p className="line-clamp-3 text-sm text-ink-2 [overflow-wrap:anywhere]">{excerpt}</p>
      </div>
    </div>
  );
}
