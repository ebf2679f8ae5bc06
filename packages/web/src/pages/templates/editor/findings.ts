import { type Diagnostic, setDiagnostics } from '@codemirror/lint';
import type { EditorState, Text, TransactionSpec } from '@codemirror/state';
import type { CheckedDraft } from '@hortus/contract/resources/drafts';

/** A finding of the service's validator. */
export type Finding = CheckedDraft['findings'][number];

/** Offset of a finding. Clamped, because the text may have changed since the service examined it. */
export function offsetOf(doc: Text, { line: number, column }: Pick<Finding, 'line' | 'column'>): number {
  const line = doc.line(Math.min(Math.max(number, 1), doc.lines));
  return Math.min(line.from + Math.max(column, 1) - 1, line.to);
}

/** Replaces the marks of the editor. */
export const markFindings = (state: EditorState, findings: readonly Finding[]): TransactionSpec =>
  setDiagnostics(
    state,
    findings.map((finding) => toDiagnostic(state.doc, finding)),
  );

/** Marks from the place to the end of its line: the validator names where a value begins, not where it ends. */
function toDiagnostic(doc: Text, finding: Finding): Diagnostic {
  const from = offsetOf(doc, finding);
  const { severity, path, message, suggestion } = finding;
  return {
    from,
    to: doc.lineAt(from).to,
    severity,
    message: [path && `${path}:`, message, suggestion].filter(Boolean).join(' '),
  };
}
