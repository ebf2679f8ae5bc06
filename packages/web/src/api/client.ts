import { createClient } from '@hortus/client/client';
import { noteRate } from './rate-budget.ts';

/** Calls the service that served this page; the session cookie authenticates. */
export const client = createClient({
  baseUrl: `${location.origin}/api/v1`,
  fetch: async (input, init) => {
    const response = await fetch(input, { ...init, credentials: 'same-origin' });
    noteRate(response.headers);
    return response;
  },
});
