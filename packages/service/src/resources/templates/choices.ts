import type { InputCheck } from '@hortus/template/inputs';
import { invalid, Problem } from '../../problem.ts';
import type { CatalogTemplate } from './shelf.ts';

export type Given = { readonly inputs?: unknown; readonly params?: unknown };

/** Reports all problems, under the name that the caller used; the message names the first. */
export function accepted(check: InputCheck, body: Given): Extract<InputCheck, { ok: true }> {
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

export function checkProfile(template: CatalogTemplate, profile: string): string {
  if (Object.hasOwn(template.spec.profiles, profile)) return profile;
  throw invalid('profile', `must be one of ${Object.keys(template.spec.profiles).join(', ')}`);
}

export function checkVariant(template: CatalogTemplate, variant: string | null): string | null {
  if (variant === null || template.variants.some(({ id }) => id === variant)) return variant;
  const known = template.variants.map(({ id }) => id).join(', ');
  throw invalid('variant', known === '' ? 'this template has no variants' : `must be one of ${known}`);
}
