import type { NewSession } from '@hortus/contract/resources/sign-in';
import { useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { storePageToken } from '../../api/page-token.ts';
import { sessionQuery } from '../../api/session.ts';

/** Continues after signing in: keeps the page token, forgets what another person read here, and goes on to a page of this console. */
export function useSignedIn(): (session: NewSession, to?: string) => Promise<void> {
  const queries = useQueryClient();
  const router = useRouter();
  return async ({ page_token, ...session }, to) => {
    storePageToken(page_token);
    queries.clear();
    queries.setQueryData(sessionQuery.queryKey, { success: true, data: session });
    await router.navigate({ href: localPath(to) });
  };
}

/** Accepts only paths of this origin: a link to the sign-in page must not lead anywhere else. */
function localPath(to: string | undefined): string {
  if (to === undefined || !URL.canParse(to, location.origin)) return '/';
  const url = new URL(to, location.origin);
  return url.origin === location.origin && to.startsWith('/') ? `${url.pathname}${url.search}${url.hash}` : '/';
}
