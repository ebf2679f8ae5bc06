import { type Client, createClient } from '@hortus/client/client';
import { Failure } from '../failure.ts';
import type { Settings } from './settings.ts';

/** Returns a client for the selected service, or fails if the user is not signed in. */
export function connect(settings: Settings): Client {
  const { url, key, urlFrom, context } = settings;
  if (key === undefined) {
    const hint =
      urlFrom === 'environment' && context !== undefined
        ? `HORTUS_URL differs from the service of the context ${context}: set HORTUS_KEY too.`
        : 'hortus login asks for the address and a key; HORTUS_KEY works without storing one.';
    throw new Failure('forbidden', `You are not signed in to ${url}.`, { hint });
  }
  return createClient({ baseUrl: url, key });
}
