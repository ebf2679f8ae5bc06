import type { Revision } from '@hortus/contract/resources/definition-records';
import { linesOf } from './diff-lines.ts';

/** Two revisions side by side; what differs is tinted and named. */
export function RevisionDiff({ left, right }: { left: Revision; right: Revision }) {
  const lines = linesOf(left, right);
  return (
    <div className="sheet overflow-x-auto">
      <table className="table revision-diff" aria-label={`Differences of revision ${left.number} and ${right.number}`}>
        <thead>
          <tr>
            <th>Setting</th>
            <th>Revision {left.number}</th>
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
              <td>{before === undefined ? <span className="text-ink-3">not set</span> : <code>{before}</code>}</td>
              <td>{after === undefined ? <span className="text-ink-3">not set</span> : <code>{after}</code>}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
