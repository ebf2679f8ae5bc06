import { pageTokenHeader } from '@hortus/contract/protocol/page-token';
import type { NewSession } from '@hortus/contract/resources/sign-in';

/** A session of the console as a browser has it: both halves are needed with every request. */
export interface PageSession {
  /** Value of the Cookie header. */
  readonly cookie: string;
  readonly pageToken: string;
}

/** Reads the session that an answer of a sign-in, an accepted invite or the first run began. */
export const pageSession = (headers: Headers, data: Pick<NewSession, 'page_token'>): PageSession => ({
  cookie: headers.get('set-cookie')?.split(';')[0] ?? '',
  pageToken: data.page_token,
});

/** Signs in over the API. */
export async function signIn(
  { base, root }: { readonly base: string; readonly root: string },
  login: { readonly email: string; readonly password: string },
): Promise<PageSession> {
  const response = await fetch(`${base}/account/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: root },
    body: JSON.stringify(login),
  });
  if (!response.ok) throw new Error(`The sign-in was refused: ${await response.text()}`);
  return pageSession(response.headers, ((await response.json()) as { data: NewSession }).data);
}

/** Headers of a request of our own pages. */
export const pageHeaders = ({ cookie, pageToken }: PageSession, origin: string): Record<string, string> => ({
  cookie,
  origin,
  [pageTokenHeader]: pageToken,
});

/** State of a browser that has signed in at an origin, for Playwright. */
export function browserState({ cookie, pageToken }: PageSession, origin: string) {
  const [name = '', value = ''] = cookie.split('=');
  const { hostname, protocol } = new URL(origin);
  const whole = {
    name,
    value,
    domain: hostname,
    path: '/',
    expires: -1,
    httpOnly: true,
    secure: protocol === 'https:',
  };
  return {
    cookies: [{ ...whole, sameSite: 'Strict' as const }],
    origins: [{ origin, localStorage: [{ name: pageTokenHeader, value: pageToken }] }],
  };
}
