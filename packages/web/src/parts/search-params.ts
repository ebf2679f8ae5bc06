/** Reads the search params of a URL as text. The router's own parser turns `q=123` into a number and `q=true` into a boolean. */
export const parseSearch = (text: string): Record<string, string> => Object.fromEntries(new URLSearchParams(text));

/** Writes search params, without those that are absent or empty. */
export function stringifySearch(search: Record<string, unknown>): string {
  const present = Object.entries(search).filter(([, value]) => value !== undefined && value !== '');
  const text = new URLSearchParams(present.map(([name, value]) => [name, String(value)])).toString();
  return text && `?${text}`;
}
