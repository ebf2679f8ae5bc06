import { type Client, createClient } from '@hortus/client/client';
import { Failure } from './failure.ts';
import type { Settings } from './settings.ts';

/** A client for the service that is meant, or the reason why nobody is signed in. */
export function connect(settings: Settings): Client {
  const { url, key, urlFrom, context } = settings;
  if (key === undefined) {
    const hint =
      urlFrom === 'environment' && context !== undefined
        ? `HORTUS_URL names another service than the context ${context}: set HORTUS_KEY as well.`
        : 'hortus login asks for the address and a key; HORTUS_KEY works without storing one.';
    throw new Failure('forbidden', `You are not signed in to ${url}.`, { hint });
  }
  return createClient({ baseUrl: url, key });
}
