import type { CheckedDraft } from '@hortus/contract/resources/drafts';
import type { ReactNode } from 'react';
import { Section } from '../../../parts/page.tsx';

/**
 * What became of the parts of a Compose file: dangerous first, then left out, then inferred. `access` is that of the
 * template as it was edited since.
 */
export function Outcome({
  made: { inferred, dropped },
  access,
}: {
  made: CheckedDraft;
  access: CheckedDraft['permissions'];
}) {
  const refused = dropped.filter((item) => item.refused);
  const needsOperator = access.some((item) => item.needs_operator);
  return (
    <div>
      <Part
        title="Dangerous"
        entries={[
          ...access.map((item) => ({
            key: `${item.kind} ${item.component} ${item.value}`,
            text: <Access {...item} />,
          })),
          ...refused.map(placed('text-bad-ink')),
        ]}
        empty="Nothing: it asks for no access to the server."
      >
        {access.length > 0 && 'The template asks for this access to the server; it is shown before every deployment. '}
        {needsOperator && 'The operator of the server must allow what is marked with !. '}
        {refused.length > 0 && 'What names a line was left out because of the access that it would give.'}
      </Part>
      <Part
        title="Left out"
        entries={dropped.filter((item) => !item.refused).map(placed('text-warn-ink'))}
        empty="Nothing: the template has all of the file."
      />
      <Part title="Inferred" entries={inferred.map(placed('text-ink-3'))} empty="Nothing had to be inferred." />
    </div>
  );
}

interface Entry {
  readonly key: string;
  readonly text: ReactNode;
}

const placed =
  (tone: string) =>
  ({ path, line, message }: CheckedDraft['inferred'][number]): Entry => ({
    key: `${path} ${line} ${message}`,
    text: (
      <>
        <span className={tone}>Line {line}</span> <code className="[overflow-wrap:anywhere]">{path}</code> {message}
      </>
    ),
  });

function Access({ kind, component, value, reason, needs_operator }: CheckedDraft['permissions'][number]) {
  return (
    <>
      <span className="text-bad-ink">
        {needs_operator && '! '}
        {kind.replaceAll('_', ' ')}
      </span>{' '}
      of <code>{component}</code> {value && <code className="[overflow-wrap:anywhere]">{value}</code>}{' '}
      <span className="text-ink-2">{reason}</span>
    </>
  );
}

function Part({
  title,
  entries,
  empty,
  children,
}: {
  title: string;
  entries: readonly Entry[];
  empty: string;
  children?: ReactNode;
}) {
  return (
    <Section title={title} note={entries.length > 0 ? entries.length : undefined} className="mb-6">
      {entries.length === 0 ? (
        <p className="border-t border-line py-2.5 text-sm text-ink-2">{empty}</p>
      ) : (
        <>
          {children && <p className="mb-2 text-sm text-ink-2">{children}</p>}
          <ul className="border-t border-line text-sm">
            {entries.map(({ key, text }) => (
              <li key={key} className="border-b border-line py-2">
                {text}
              </li>
            ))}
          </ul>
        </>
      )}
    </Section>
  );
}
