import type { ActionParam } from '@hortus/contract/template/actions';
import type { Input, InputType, InputValue } from '@hortus/contract/template/inputs';
import { type Matcher, matcherOf } from './pattern.ts';

export type Question = Input | ActionParam;

/** A value as it will be stored, or the reason why it is invalid. */
type Outcome = { value: InputValue } | { wrong: string };
export type Check = (input: unknown) => Outcome;

const STRING_LIMIT = 4096;
const TEXT_LIMIT = 65_536;
/** Longer values never match: bounds the cost of patterns written by users. */
const PATTERN_LIMIT = 256;

const EMAIL = /^[^\s@]{1,64}@[^\s@]{1,255}$/;
const LABEL = /^(?!-)[a-z0-9_-]{1,63}(?<!-)$/;
const INTEGER = /^[+-]?\d{1,16}$/;
const NUMBER = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i;

type Kind = (question: Question) => Check;

const wrong = (message: string): Outcome => ({ wrong: message });

/** Checks a bounded text. Refuses NUL, which environment variables and arguments cannot contain. */
function text(
  question: Question,
  limit: number,
  multiline: boolean,
  form?: (value: string) => string | undefined,
): Check {
  const { min, max } = question;
  const { pattern } = question;
  // Compiled on first use: a template may have hundreds of patterns, and a request uses few.
  let matcher: Matcher | undefined;
  const matches = (value: string) => {
    if (pattern === undefined) return true;
    if (value.length > PATTERN_LIMIT) return false;
    matcher ??= matcherOf(pattern);
    return matcher(value);
  };
  return (input) => {
    if (typeof input !== 'string') return wrong('must be a string');
    if (input.includes('\0')) return wrong('must not contain a NUL character');
    if (!multiline && /[\r\n]/.test(input)) return wrong('must be a single line');
    if (input.length > limit) return wrong(`must have at most ${limit} characters`);
    if (min !== undefined || max !== undefined) {
      const length = [...input].length;
      if (min !== undefined && length < min) return wrong(`must have at least ${min} characters`);
      if (max !== undefined && length > max) return wrong(`must have at most ${max} characters`);
    }
    if (!matches(input)) return wrong(`must match ${pattern}`);
    const mistake = form?.(input);
    return mistake === undefined ? { value: input } : wrong(mistake);
  };
}

function number(question: Question, form: RegExp, name: string, fits: (value: number) => boolean): Check {
  const { min, max } = question;
  return (input) => {
    const value = typeof input === 'string' && form.test(input) ? Number(input) : input;
    if (typeof value !== 'number' || !Number.isFinite(value) || !fits(value)) return wrong(`must be ${name}`);
    if (min !== undefined && value < min) return wrong(`must be at least ${min}`);
    if (max !== undefined && value > max) return wrong(`must be at most ${max}`);
    return { value };
  };
}

const TRUTH: Record<string, boolean> = { true: true, false: false };

const zones = new Map<string, boolean>();

function isTimezone(name: string): boolean {
  // Cached: the platform takes tens of microseconds, and there are only a few hundred names.
  let known = zones.get(name);
  if (known === undefined) {
    try {
      new Intl.DateTimeFormat('en', { timeZone: name });
      known = true;
    } catch {
      known = false;
    }
    if (known) zones.set(name, known);
  }
  return known;
}

const IPV4 = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.|$)){4}$/;

/** Tells whether a text is an IP address; without Node's own check, because the console runs this in browsers. */
function isAddress(text: string): boolean {
  if (!text.includes(':')) return IPV4.test(text) && !text.endsWith('.');
  const [address = '', zone = '0', ...rest] = text.split('%');
  return rest.length === 0 && zone !== '' && /^[\da-f:.]+$/i.test(address) && URL.canParse(`http://[${address}]`);
}

function isDomain(name: string): boolean {
  return name.length <= 253 && name.split('.').every((label) => LABEL.test(label));
}

const single =
  (form?: (value: string) => string | undefined): Kind =>
  (question) =>
    text(question, STRING_LIMIT, false, form);
const unless = (holds: (value: string) => boolean, message: string) => (value: string) =>
  holds(value) ? undefined : message;

export const KINDS: Record<InputType, Kind> = {
  string: single(),
  password: single(),
  text: (question) => text(question, TEXT_LIMIT, true),
  number: (question) => number(question, NUMBER, 'a number', () => true),
  integer: (question) => number(question, INTEGER, 'a whole number', Number.isSafeInteger),
  port: (question) =>
    number(
      question,
      INTEGER,
      'a port from 1 to 65535',
      (value) => Number.isInteger(value) && value >= 1 && value <= 65_535,
    ),
  boolean: () => (input) => {
    if (typeof input === 'boolean') return { value: input };
    const value = typeof input === 'string' ? TRUTH[input] : undefined;
    return typeof value === 'boolean' ? { value } : wrong('must be true or false');
  },
  email: single(unless((value) => EMAIL.test(value), 'must be an e-mail address')),
  url: single(
    unless(
      (value) => /^[a-z][a-z0-9+.-]*:\/\/\S+$/i.test(value) && URL.canParse(value),
      'must be an address such as https://example.org',
    ),
  ),
  domain: (question) => {
    const check = text(
      question,
      STRING_LIMIT,
      false,
      unless((value) => isDomain(value.toLowerCase()), 'must be a host name'),
    );
    // Host names are case-insensitive; one form prevents registering the same name twice.
    return (input) => check(typeof input === 'string' ? input.toLowerCase() : input);
  },
  ip: single(unless(isAddress, 'must be an IPv4 or IPv6 address')),
  path: single(
    unless((value) => value.startsWith('/') && !value.split('/').includes('..'), 'must be an absolute path without ..'),
  ),
  timezone: single(unless(isTimezone, 'must be a time zone such as Europe/Berlin')),
  enum: (question) => {
    const values = new Set((question.options ?? []).map((option) => option.value));
    const message = `must be one of ${[...values].join(', ')}`;
    return (input) => (typeof input === 'string' && values.has(input) ? { value: input } : wrong(message));
  },
};
