export interface Words {
  words: string[];
  /** Rest of the line from a shell operator outside of quotes, where Compose stops reading. */
  cut?: string;
  unclosed: boolean;
}

const OPERATORS = ';&|<>';

/**
 * Splits a command line into arguments by the rules of Compose: quotes and backslashes are interpreted, nothing is
 * expanded.
 */
export function splitWords(line: string): Words {
  const words: string[] = [];
  let word = '';
  let begun = false;
  let quote = '';
  for (let at = 0; at < line.length; at++) {
    const sign = line[at] as string;
    if (sign === '\\' && quote !== "'") {
      at++;
      if (line[at] !== undefined) word += line[at];
      begun = true;
    } else if (quote !== '') {
      if (sign === quote) quote = '';
      else word += sign;
    } else if (sign === '"' || sign === "'") {
      quote = sign;
      begun = true;
    } else if (/\s/.test(sign)) {
      if (begun) words.push(word);
      word = '';
      begun = false;
    } else if (OPERATORS.includes(sign)) {
      if (begun) words.push(word);
      return { words, cut: line.slice(at), unclosed: false };
    } else {
      word += sign;
      begun = true;
    }
  }
  if (begun) words.push(word);
  return { words, unclosed: quote !== '' };
}
