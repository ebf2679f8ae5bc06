import type { Revision } from '@hortus/contract/resources/definition-records';
import { linesOf } from './diff-lines.ts';

/** Two revisions side by side; what differs is tinted and named. The first one has nothing beside it. */
export function RevisionDiff({ left, right }: { left: Revision | undefined; right: Revision }) {
  const lines = linesOf(left ?? right, right);
  const label = left ? `Differences of revision ${left.number} and ${right.number}` : `Revision ${right.number}`;
  return (
    <div className="sheet overflow-x-auto">
      <table className="table revision-diff" aria-label={label}>
        <thead>
          <tr>
            <th>Setting</th>
            {left && <th>Revision {left.number}</th>}
            <th>Revision {right.number}</th>
          </tr>
        </thead>
        <tbody>
          {lines.map(({ name, before, after, differs }) => (
            <tr key={name} className={differs ? 'differs' : undefined}>
              <td>
                <b>{name}</b>
                {differs && <span className="sr-only"> (changed)</span>}
              </td>
              {left && <Value text={before} />}
              <Value text={after} />
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const Value = ({ text }: { text: string | undefined }) => (
  <td>{text === undefined ? <span className="text-ink-3">not set</span> : <code>{text}</code>}</td>
);
