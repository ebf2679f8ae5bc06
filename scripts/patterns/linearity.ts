import { check } from 'recheck';

/** Longest search for an attack on one pattern; enough for all of them on a busy machine. */
const TIMEOUT_MS = 60_000;
/** Counted repetitions up to this limit cost a constant factor; larger ones are treated as unlimited. */
const SMALL_COUNT = 16;

const TOKEN =
  /\\(?:[pP]\{[^}]*\}|k<[^>]*>|.)|\[(?:\\.|[^\]\\])*\]|\(\?(?:<[=!]|[=!:]|<[^>]*>)|[()|^$]|(?:[*+?]|\{\d+(?:,\d*)?\})\??|./gsu;
const COUNT = /^\{(\d+)(,?)(\d*)\}/;

/** Returns undefined for a linear pattern, otherwise what is wrong with it. */
export async function slownessOf(source: string, flags: string): Promise<string | undefined> {
  const tokens = withoutLooks(source.match(TOKEN) ?? []);
  if (!tokens) return 'has a repetition inside of a look-around';
  const plain = tokens.map(bounded);
  if (isPlainlyLinear(plain, flags)) return undefined;
  // Small letters match what both do, and are much faster to examine.
  const folded = flags.includes('i')
    ? plain.map((token) => (token.startsWith('\\') ? token : token.toLowerCase()))
    : plain;
  const result = await check(folded.join(''), flags.replace('i', ''), {
    checker: 'automaton',
    timeout: TIMEOUT_MS,
    recallTimeout: -1,
  });
  if (result.status === 'safe') return undefined;
  if (result.status === 'unknown') return `cannot be examined (${result.error.kind})`;
  return `${result.complexity.summary}, such as with ${result.attack.pattern.slice(0, 200)}`;
}

/** Replaces large counts by unlimited ones, which makes them slower, and small ones by up to three. */
function bounded(token: string, index: number, tokens: readonly string[]): string {
  const [, min = '', comma = '', max = ''] = COUNT.exec(token) ?? [];
  if (min === '') return token;
  const isLarge =
    comma === '' ? tokens[index - 1] === ')' && Number(min) > SMALL_COUNT : max === '' || Number(max) > SMALL_COUNT;
  if (isLarge) return Number(min) > 0 ? '+' : '*';
  const limit = Math.min(3, Number(comma === '' ? min : max));
  return comma === '' ? `{${limit}}` : `{${Math.min(Number(min), limit)},${limit}}`;
}

/**
 * Removes look-arounds, which only exclude matches: what is linear without them is linear with them, if each takes constant time.
 * Returns undefined if one contains a repetition without a limit.
 */
function withoutLooks(tokens: readonly string[]): string[] | undefined {
  const kept: string[] = [];
  let depth = 0;
  for (const token of tokens) {
    const isGroup = token.startsWith('(');
    if (depth === 0 && !/^\(\?<?[=!]/.test(token)) kept.push(token);
    else if (isGroup) depth++;
    else if (token === ')') depth--;
    else if (isUnlimited(token)) return undefined;
  }
  return kept;
}

const isUnlimited = (token: string): boolean => /^(?:[*+]|\{\d+,\})/.test(token);
const isRepeated = (token: string): boolean => /^(?:[*+]|\{)/.test(token);

/**
 * Whether a pattern needs no proof: without a repetition of a group it has no unlimited repetition at all, or begins at the
 * start of the text and has one of a single character.
 */
function isPlainlyLinear(tokens: readonly string[], flags: string): boolean {
  if (tokens.some((token, index) => isRepeated(token) && tokens[index - 1] === ')')) return false;
  if (tokens.some((token) => /^\\[1-9k]/.test(token))) return false;
  const unlimited = tokens.filter(isUnlimited).length;
  const isAnchored = tokens[0] === '^' && !flags.includes('m') && !hasAlternatives(tokens);
  return unlimited === 0 || (unlimited === 1 && isAnchored);
}

/** Whether there are alternatives outside of all groups, so that not all of them begin with the first token. */
function hasAlternatives(tokens: readonly string[]): boolean {
  let depth = 0;
  for (const token of tokens) {
    if (token.startsWith('(')) depth++;
    else if (token === ')') depth--;
    else if (token === '|' && depth === 0) return true;
  }
  return false;
}
