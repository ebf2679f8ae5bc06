import type { CheckedDraft } from '@hortus/contract/resources/drafts';
import type { ReactNode } from 'react';
import { Section } from '../../../parts/page.tsx';

interface Entry {
  readonly path: string;
  readonly line: number;
  readonly message: string;
}

/** What became of the parts of a Compose file: dangerous first, then left out, then inferred. */
export function Outcome({ made: { inferred, dropped } }: { made: CheckedDraft }) {
  const access = inferred.filter(({ path }) => path.startsWith('permissions'));
  const refused = dropped.filter((one) => one.refused);
  const rest = dropped.filter((one) => !one.refused);
  return (
    <div>
      <Part
        title="Dangerous"
        entries={[...refused, ...access]}
        tone="bad"
        empty="Nothing: it asks for no access to the server."
      >
        Left out because of the access to the server that it would give, or declared as a permission that is shown
        before every deployment.
      </Part>
      <Part title="Left out" entries={rest} tone="warn" empty="Nothing: the template has all of the file." />
      <Part
        title="Inferred"
        entries={inferred.filter(({ path }) => !path.startsWith('permissions'))}
        empty="Nothing had to be inferred."
      />
    </div>
  );
}

function Part({
  title,
  entries,
  tone,
  empty,
  children,
}: {
  title: string;
  entries: readonly Entry[];
  tone?: 'bad' | 'warn';
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
            {entries.map(({ path, line, message }) => (
              <li key={`${path} ${line} ${message}`} className="border-b border-line py-2">
                <span className={tone === 'bad' ? 'text-bad-ink' : tone === 'warn' ? 'text-warn-ink' : 'text-ink-3'}>
                  Line {line}
                </span>{' '}
                <code className="[overflow-wrap:anywhere]">{path}</code> {message}
              </li>
            ))}
          </ul>
        </>
      )}
    </Section>
  );
}
