import { RE2JS } from 're2js';

/** The largest counted repetition: values longer than this are never held against a pattern. */
const MOST_REPETITIONS = 256;
/** Instructions of the compiled pattern: matching costs at most these times the length of the value. */
const LARGEST_PROGRAM = 1_000;

/** Holds a whole value against a pattern, in time linear in its length. */
export type Matcher = (value: string) => boolean;

/**
 * Compiles the pattern of an input. RE2 matches in linear time whatever the pattern, so that no template of one account can
 * keep a process busy that serves all. Throws for what RE2 does not know, such as look-around and back-references.
 */
export function matcherOf(pattern: string): Matcher {
  const expression = compile(pattern);
  return (value) => expression.matches(value);
}

/** Why a pattern is refused, if it is. */
export function unsafePattern(pattern: string): string | undefined {
  // Counted repetitions are written out when a pattern is compiled.
  for (const [, least = '', most = ''] of pattern.matchAll(/\{(\d+)(?:,(\d*))?\}/g)) {
    if (Math.max(Number(least), Number(most)) > MOST_REPETITIONS)
      return `must not repeat anything more than ${MOST_REPETITIONS} times`;
  }
  if (/\(\?<?[=!]/.test(pattern)) return 'must not use look-around';
  if (/\\([1-9]|k<)/.test(pattern)) return 'must not use back-references';
  try {
    return compile(pattern).programSize() > LARGEST_PROGRAM ? 'is too large; repeat less' : undefined;
  } catch {
    return 'is no valid regular expression';
  }
}

const compile = (pattern: string): RE2JS => RE2JS.compile(RE2JS.translateRegExp(withShortNames(pattern)));

/** RE2 knows `\p{Greek}` and not `\p{Script=Greek}`, which JavaScript has. Other escaped characters are passed over in pairs. */
const withShortNames = (pattern: string): string =>
  pattern.replace(/\\(?:([pP])\{(?:Script|sc|General_Category|gc)=|[\s\S])/g, (all, kind?: string) =>
    kind === undefined ? all : `\\${kind}{`,
  );
