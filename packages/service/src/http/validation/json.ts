import { invalid, Problem } from '../../problem.ts';
import { fieldWithNull, NO_NULL } from './null-character.ts';
import { holdsPrototype } from './prototype.ts';

/** Parses a body; an empty body is undefined. */
export function parseJson(text: string): unknown {
  if (text === '') return undefined;
  let value: unknown;
  try {
    // Some editors and shells add a byte order mark.
    value = JSON.parse(text.startsWith('\uFEFF') ? text.slice(1) : text);
  } catch {
    throw malformed();
  }
  // Search the value only if the text contains one of these, which is rare.
  const escapes = text.includes('\\u');
  if ((escapes || text.includes('"__proto__"') || text.includes('"constructor"')) && holdsPrototype(value))
    throw malformed();
  const field = escapes && text.includes('\\u0000') ? fieldWithNull(value) : undefined;
  if (field !== undefined) throw invalid(field, NO_NULL);
  return value;
}

const malformed = () =>
  new Problem('VALIDATION_ERROR', 'body: is not valid JSON.', { reason: 'invalid', field: 'body' });
