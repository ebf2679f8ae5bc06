import { applyFilter } from './filters.ts';
import type { ParsedText, Reference, Segment } from './text.ts';

export type Value = string | number | boolean;

export interface Found {
  /** Undefined means not set, which is no error: an optional input that nobody gave. */
  value: Value | undefined;
  secret: boolean;
}

export interface Filled {
  /** Undefined when the whole text is one reference to something not set. */
  text: string | undefined;
  secret: boolean;
  /** The text was `${x:+…}` and x is not set: its author wants it gone, even from a list. */
  omitted: boolean;
}

export interface Filling {
  find(reference: Reference): Found;
  /** Makes bcrypt repeatable: the same instance gets the same hash, so that resolving again shows no difference. */
  saltFor(reference: Reference): string;
  /** Whether a reference stays as it is written, because it belongs to another filling. */
  leaves?(reference: Reference): boolean;
}

/** Values are put in byte for byte; nothing in them is looked at again. */
export function fill(parsed: ParsedText, filling: Filling): Filled {
  const [first] = parsed.segments;
  if (parsed.segments.length === 1 && typeof first === 'object') {
    const { value, secret } = evaluate(first, filling, parsed.source);
    const text = value === undefined ? undefined : String(value);
    return { text, secret, omitted: text === undefined && first.operator === ':+' };
  }
  return { ...join(parsed.segments, filling, parsed.source), omitted: false };
}

function join(segments: readonly Segment[], filling: Filling, source: string): { text: string; secret: boolean } {
  let text = '';
  let secret = false;
  for (const segment of segments) {
    if (typeof segment === 'string') {
      text += segment;
      continue;
    }
    const found = evaluate(segment, filling, source);
    text += found.value ?? '';
    secret ||= found.secret;
  }
  return { text, secret };
}

function evaluate(reference: Reference, filling: Filling, source: string): Found {
  if (filling.leaves?.(reference)) {
    return { value: source.slice(reference.start, reference.end), secret: false };
  }
  let found = filling.find(reference);
  const empty = found.value === undefined || found.value === '';
  if (reference.operator === ':-' && empty) found = operandOf(reference, filling, source, found.secret);
  else if (reference.operator === ':+') {
    // A switch that is off is not set, though false is something to print.
    const set = !empty && found.value !== false;
    found = set ? operandOf(reference, filling, source, false) : { value: undefined, secret: false };
  }
  let { value } = found;
  for (const filter of reference.filters) value = applyFilter(filter, value, () => filling.saltFor(reference));
  return { value, secret: found.secret };
}

function operandOf(reference: Reference, filling: Filling, source: string, secret: boolean): Found {
  const operand = join(reference.operand, filling, source);
  return { value: operand.text, secret: secret || operand.secret };
}
