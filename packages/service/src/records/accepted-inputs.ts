import type { InputCheck } from '@hortus/template/inputs/inputs';
import { Problem } from '../problem.ts';

export type RequestInput = { readonly inputs?: unknown; readonly params?: unknown };

/** Reports all problems, under the name that the caller used; the message names the first. */
export function accepted(check: InputCheck, body: RequestInput): Extract<InputCheck, { ok: true }> {
  if (check.ok) return check;
  const named = (field: string) => (body.params === undefined ? field : field.replace(/^inputs/, 'params'));
  const problems = check.problems.map(({ field, message }) => ({ field: named(field), message }));
  const [first] = problems;
  throw new Problem('VALIDATION_ERROR', `${first?.field}: ${first?.message}`, {
    reason: 'invalid',
    field: first?.field,
    problems,
  });
}
