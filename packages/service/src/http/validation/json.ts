import { invalid, Problem } from '../../problem.ts';
import { fieldWithNull, NO_NULL } from './null-character.ts';
import { holdsPrototype } from './prototype.ts';

/** Parses a body; an empty one is none. */
export function parseJson(text: string): unknown {
  if (text === '') return undefined;
  let value: unknown;
  try {
    // Some editors and shells put a byte order mark first.
    value = JSON.parse(text.startsWith('\uFEFF') ? text.slice(1) : text);
  } catch {
    throw malformed();
  }
  // Neither can stand in JSON in another form, so that few bodies have to be searched.
  const escapes = text.includes('\\u');
  if ((escapes || text.includes('"__proto__"') || text.includes('"constructor"')) && holdsPrototype(value))
    throw malformed();
  const field = escapes && text.includes('\\u0000') ? fieldWithNull(value) : undefined;
  if (field !== undefined) throw invalid(field, NO_NULL);
  return value;
}

const malformed = () =>
  new Problem('VALIDATION_ERROR', 'body: is not valid JSON.', { reason: 'invalid', field: 'body' });
