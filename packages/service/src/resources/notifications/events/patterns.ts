/** Whether a type matches a pattern; a final * matches any ending. */
export const matches = (pattern: string, type: string): boolean =>
  pattern.endsWith('*') ? type.startsWith(pattern.slice(0, -1)) : type === pattern;
