type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * Tells whether a request with a session cookie was made by our own pages. Checked for every change, because browsers
 * send cookies regardless of the page. Keys need no such check, because browsers do not send them automatically.
 */
export function sameOrigin(headers: Headers, publicUrl: string): boolean {
  const site = headers['sec-fetch-site'];
  // Scripts cannot set this header, so it decides if present.
  if (site !== undefined) return site === 'same-origin';
  const origin = headers.origin;
  if (typeof origin !== 'string' || !URL.canParse(origin)) return false;
  // Behind a proxy, only Host may match the public address.
  return origin === new URL(publicUrl).origin || new URL(origin).host === headers.host;
}
