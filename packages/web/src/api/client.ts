import { createClient } from '@hortus/client/client';
import { noteRate } from './rate-budget.ts';

/** Calls the service that served this page; the session cookie authenticates, with the page token that the client adds. */
export const client = createClient({
  baseUrl: `${location.origin}/api/v1`,
  fetch: async (input, init) => {
    // The catalog may be cached for a minute, but an event says that it has changed: ask whether it did.
    const response = await fetch(input, { ...init, credentials: 'same-origin', cache: 'no-cache' });
    noteRate(response.headers);
    return response;
  },
});
