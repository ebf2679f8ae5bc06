type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * Whether a request that a session's cookie signed was made by our own pages. Asked of everything that changes
 * something: a cookie is sent by the browser, whoever wrote the page. Keys are not, so they need no such question.
 */
export function sameOrigin(headers: Headers, publicUrl: string): boolean {
  const site = headers['sec-fetch-site'];
  // Scripts cannot set this header, so where a browser sends it, it decides.
  if (site !== undefined) return site === 'same-origin';
  const origin = headers.origin;
  if (typeof origin !== 'string' || !URL.canParse(origin)) return false;
  // Behind a proxy the Host may be the only thing that tells the address people use.
  return origin === new URL(publicUrl).origin || new URL(origin).host === headers.host;
}
