import { pageTokenHeader } from '@hortus/contract/protocol/page-token';

/** What a browser has and Node, whose types are used here, does not. */
interface Page {
  readonly location?: { readonly href: string; readonly origin: string };
  readonly localStorage?: { getItem(name: string): string | null };
}

const page = globalThis as Page;

/**
 * Returns the second half of the session of the user who has signed in at the origin of this page. The console keeps it in the
 * storage of that origin, because the cookie, the first half, is sent to every port of the host.
 */
export function storedPageToken(): string | undefined {
  // Node warns when its storage is looked at.
  if (page.location === undefined) return undefined;
  try {
    return page.localStorage?.getItem(pageTokenHeader) ?? undefined;
  } catch {
    // Storage is blocked, and cookies with it.
    return undefined;
  }
}

/** Sends the page token with the requests of a page to its own origin. No other origin gets it, and a key needs none. */
export function withPageToken(send: typeof fetch, to: { readonly baseUrl: string; readonly key?: string | undefined }) {
  const { location } = page;
  if (to.key !== undefined || location === undefined) return send;
  if (new URL(to.baseUrl, location.href).origin !== location.origin) return send;
  const sendWithToken: typeof fetch = (input, init) => {
    const token = storedPageToken();
    if (token === undefined) return send(input, init);
    const headers = new Headers(init?.headers);
    headers.set(pageTokenHeader, token);
    // The mode: a redirect must not take the token to another origin.
    return send(input, { mode: 'same-origin', ...init, headers });
  };
  return sendWithToken;
}
