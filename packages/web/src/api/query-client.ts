import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { isSignedOut, lacksPageToken } from './problem.ts';

/** Creates the cache of everything read. The client retries by itself, so the cache does not. */
export const newQueryClient = (onSignedOut: () => void): QueryClient =>
  new QueryClient({
    queryCache: new QueryCache({
      onError: (error) => {
        if (isSignedOut(error)) onSignedOut();
      },
    }),
    // Other refusals of an order, such as a wrong password, are shown where it was given.
    mutationCache: new MutationCache({
      onError: (error) => {
        if (lacksPageToken(error)) onSignedOut();
      },
    }),
    defaultOptions: { queries: { retry: false, refetchOnWindowFocus: false }, mutations: { retry: false } },
  });
