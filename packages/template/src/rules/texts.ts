import type { Canonical, CanonicalAction } from '../canonical/canonical-form.ts';
import { isMapping } from '../schema/schema-check.ts';
import type { Path } from '../source/finding.ts';

export interface PlacedText {
  path: Path;
  text: string;
  /** The action whose params the text may use. */
  action?: CanonicalAction;
}

const SECTIONS = ['vars', 'routes', 'components', 'smoke', 'provides', 'permissions', 'notes'] as const;

/** Yields every text of a spec in which `${…}` is filled. */
export function* textsOf(spec: Canonical): Generator<PlacedText> {
  for (const section of SECTIONS) yield* within(spec[section], [section]);
  for (const [index, action] of spec.actions.entries()) {
    for (const placed of within(action, ['actions', index])) yield { ...placed, action };
  }
}

function* within(value: unknown, path: Path): Generator<PlacedText> {
  if (typeof value === 'string') {
    if (value.includes('${')) yield { path, text: value };
  } else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) yield* within(item, [...path, index]);
  } else if (isMapping(value)) {
    for (const [key, item] of Object.entries(value)) {
      if (!(key === 'content' && value.raw === true)) yield* within(item, [...path, key]);
    }
  }
}
