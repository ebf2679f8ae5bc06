/** Escapes text for roff: backslashes, hyphens that must stay copyable, and characters beyond ASCII. */
export const escaped = (text: string): string =>
  text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replace(/[^\0-\x7f]/gu, (char) => `\\[u${char.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}]`);

/** A paragraph; a line must not begin with a control character of roff. */
export const text = (words: string): string =>
  escaped(words)
    .split('\n')
    .map((line) => line.trim().replace(/^(?=[.'])/, '\\&'))
    .join('\n');

export const bold = (words: string): string => `\\fB${escaped(words)}\\fR`;
/** A term with its explanation. */
export const entry = (term: string, explanation: string): string => `.TP\n${bold(term)}\n${text(explanation)}`;
