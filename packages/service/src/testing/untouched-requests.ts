import type { EndpointName } from '@hortus/contract/endpoints';
import { goodRequest, type ReadyRequest } from './good-requests.ts';
import type { Caller } from './running-service.ts';

/**
 * Caches good requests for tests in which nothing may be written, one for each row: they can be reused, and creating
 * them takes most of the time. Tests that execute a request need their own `goodRequest`.
 */
export function untouchedRequests(): (name: EndpointName, caller: Caller) => Promise<ReadyRequest> {
  const made = new Map<EndpointName, Promise<ReadyRequest>>();
  return (name, caller) => {
    const known = made.get(name) ?? goodRequest(name, caller);
    made.set(name, known);
    return known;
  };
}
