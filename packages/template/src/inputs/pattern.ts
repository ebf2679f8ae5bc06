const TOKEN = /\\[pP]\{[^}]*\}|\\.|\[(?:\\.|[^\]\\])*\]|\(\?[:=!<][=!]?|\(|\)|[*+?]\??|\{\d+(?:,\d*)?\}\??|\||[\s\S]/gu;

/** Enough for what inputs look like; each more lets a hostile value cost another power of its length. */
const MOST_REPETITIONS = 4;

/**
 * Why an expression is refused, if it is. Templates of one account are checked in a process that serves all, and a
 * backtracking engine can be kept busy for years by `(a+)+`. What passes here is at worst a small polynomial of a
 * bounded length.
 */
export function unsafePattern(pattern: string): string | undefined {
  try {
    new RegExp(`^(?:${pattern})$`, 'u');
  } catch {
    return 'is no valid regular expression';
  }
  const groups: { repeats: boolean; alternates: boolean }[] = [];
  let closed: { repeats: boolean; alternates: boolean } | undefined;
  let repetitions = 0;
  for (const [token] of pattern.matchAll(TOKEN)) {
    const quantifier = /^[*+{?]/.test(token) && token.length > 0;
    if (/^\\([1-9]|k)/.test(token)) return 'must not use back-references';
    if (/^\(\?[=!<]/.test(token)) return 'must not use look-around or named groups';
    if (quantifier) {
      const once = token.startsWith('?');
      if (!once && closed && (closed.repeats || closed.alternates)) {
        return 'must not repeat a group that itself repeats or alternates';
      }
      const fixed = /^\{\d+\}/.test(token);
      if (!once && !fixed) repetitions++;
      for (const group of groups) group.repeats = true;
    }
    if (token === '|') for (const group of groups) group.alternates = true;
    closed = undefined;
    if (token.startsWith('(')) groups.push({ repeats: false, alternates: false });
    else if (token === ')') closed = groups.pop();
  }
  return repetitions > MOST_REPETITIONS ? `must not repeat more than ${MOST_REPETITIONS} times` : undefined;
}
