import { counted } from '../../../parts/amount.ts';
import { Status } from '../../../parts/status.tsx';
import type { Finding } from './findings.ts';

/** What the validator found, by line; a click goes there. */
export function FindingList({
  findings,
  isChecking,
  onGo,
}: {
  findings: readonly Finding[];
  isChecking: boolean;
  onGo: (finding: Finding) => void;
}) {
  const errors = findings.filter(({ severity }) => severity === 'error').length;
  const warnings = findings.length - errors;
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
        {findings.map((finding) => (
          <li key={`${finding.line} ${finding.column} ${finding.path} ${finding.message}`}>
            <button
              type="button"
              className="w-full border-t border-line py-1.5 text-left hover:bg-hover"
              onClick={() => onGo(finding)}
            >
              <span className={finding.severity === 'error' ? 'text-bad-ink' : 'text-warn-ink'}>
                Line {finding.line}
              </span>{' '}
              {finding.path && <code>{finding.path}</code>} {finding.message}
              {finding.suggestion && <span className="text-ink-3"> {finding.suggestion}</span>}
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
