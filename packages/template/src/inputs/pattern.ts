import { RE2JS } from 're2js';

/** Maximum of a counted repetition: longer values are never matched. */
const MAX_REPETITIONS = 256;
/** Maximum number of instructions of a compiled pattern: a match costs at most this times the length of the value. */
const MAX_PROGRAM_SIZE = 1_000;

/** Matches a whole value, in time linear in its length. */
export type Matcher = (value: string) => boolean;

/**
 * Compiles the pattern of an input. RE2 matches in linear time, so that a template of one account cannot block a
 * process that serves all accounts. Throws for syntax that RE2 does not support, such as look-around and
 * back-references.
 */
export function matcherOf(pattern: string): Matcher {
  const expression = compile(pattern);
  return (value) => expression.matches(value);
}

/** Returns the reason for which a pattern is refused, if any. */
export function unsafePattern(pattern: string): string | undefined {
  // Counted repetitions are expanded when a pattern is compiled.
  for (const [, min = '', max = ''] of pattern.matchAll(/\{(\d+)(?:,(\d*))?\}/g)) {
    if (Math.max(Number(min), Number(max)) > MAX_REPETITIONS)
      return `must not repeat anything more than ${MAX_REPETITIONS} times`;
  }
  if (/\(\?<?[=!]/.test(pattern)) return 'must not use look-around';
  if (/\\([1-9]|k<)/.test(pattern)) return 'must not use back-references';
  try {
    return compile(pattern).programSize() > MAX_PROGRAM_SIZE ? 'is too large; repeat less' : undefined;
  } catch {
    return 'is not a valid regular expression';
  }
}

const compile = (pattern: string): RE2JS => RE2JS.compile(RE2JS.translateRegExp(withShortNames(pattern)));

/** RE2 supports `\p{Greek}` but not `\p{Script=Greek}` of JavaScript. Skips other escaped characters in pairs. */
const withShortNames = (pattern: string): string =>
  pattern.replace(/\\(?:([pP])\{(?:Script|sc|General_Category|gc)=|[\s\S])/g, (all, kind?: string) =>
    kind === undefined ? all : `\\${kind}{`,
  );
