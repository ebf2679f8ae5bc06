import { counted } from '../../../parts/amount.ts';
import { Status } from '../../../parts/status.tsx';
import type { Mistake } from './template-editor.tsx';

/** What the validator found, by line; a click goes there. */
export function MistakeList({
  mistakes,
  isChecking,
  onGo,
}: {
  mistakes: readonly Mistake[];
  isChecking: boolean;
  onGo: (mistake: Mistake) => void;
}) {
  const errors = mistakes.filter(({ severity }) => severity === 'error').length;
  const warnings = mistakes.length - errors;
  return (
    <section aria-label="Findings" className="mt-3 text-sm">
      <p role="status">
        {isChecking ? (
          <span className="text-ink-3">Checking…</span>
        ) : errors > 0 ? (
          <Status state="failed" tone="bad">
            {counted(errors, 'error')}
            {warnings > 0 && `, ${counted(warnings, 'warning')}`}
          </Status>
        ) : warnings > 0 ? (
          <Status state="warning" tone="warn">
            {counted(warnings, 'warning')}
          </Status>
        ) : (
          <Status state="valid" tone="ok">
            No findings
          </Status>
        )}
      </p>
      <ul className="mt-1.5 max-h-64 overflow-auto">
        {mistakes.map((mistake) => (
          <li key={`${mistake.line} ${mistake.column} ${mistake.path} ${mistake.message}`}>
            <button
              type="button"
              className="w-full border-t border-line py-1.5 text-left hover:bg-hover"
              onClick={() => onGo(mistake)}
            >
              <span className={mistake.severity === 'error' ? 'text-bad-ink' : 'text-warn-ink'}>
                Line {mistake.line}
              </span>{' '}
              {mistake.path && <code>{mistake.path}</code>} {mistake.message}
              {mistake.suggestion && <span className="text-ink-3"> {mistake.suggestion}</span>}
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
