import { applyFilter, type Value } from './filters.ts';
import type { ParsedText, Reference, Segment } from './text.ts';

/** A text stops growing beyond this length, because one value can be used thousands of times; its user refuses it. */
const MAX_FILLED_LENGTH = 4_194_304;

export interface Found {
  /** Undefined if unset, which is not an error: an optional input without a value. */
  value: Value | undefined;
  secret: boolean;
}

export interface Filled {
  /** Undefined if the whole text is one reference to something unset. */
  text: string | undefined;
  secret: boolean;
  /** Whether the text was `${x:+…}` with x unset, so that it is also removed from lists. */
  omitted: boolean;
}

export interface Filling {
  find(reference: Reference): Found;
  /**
   * Salt that makes bcrypt deterministic: an instance always gets the same hash, so that resolving again shows no
   * change.
   */
  saltFor(reference: Reference): string;
  /** Cost of bcrypt, if not the usual one. */
  readonly bcryptCost?: number | undefined;
  /** Whether a reference stays in the text, because it is filled later. */
  leaves?(reference: Reference): boolean;
}

/** Inserts values literally; references in them are not evaluated. */
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
    if (text.length > MAX_FILLED_LENGTH) break;
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
  if (reference.operator === ':-' && empty) found = defaultOf(reference, filling, source, found.secret);
  else if (reference.operator === ':+') {
    // A boolean that is false counts as unset for `:+`, though it can be printed.
    const set = !empty && found.value !== false;
    found = set ? operandOf(reference, filling, source, false) : { value: undefined, secret: false };
  }
  let { value } = found;
  for (const filter of reference.filters)
    value = applyFilter(filter, value, () => filling.saltFor(reference), filling.bcryptCost);
  return { value, secret: found.secret };
}

/** A default that is one reference stays unset if that is: `${needs.mail.host:-${inputs.SMTP_HOST}}` is omitted without either. */
function defaultOf(reference: Reference, filling: Filling, source: string, secret: boolean): Found {
  const [only] = reference.operand;
  if (reference.operand.length !== 1 || typeof only !== 'object') return operandOf(reference, filling, source, secret);
  const found = evaluate(only, filling, source);
  return { value: found.value, secret: secret || found.secret };
}

function operandOf(reference: Reference, filling: Filling, source: string, secret: boolean): Found {
  const operand = join(reference.operand, filling, source);
  return { value: operand.text, secret: secret || operand.secret };
}
