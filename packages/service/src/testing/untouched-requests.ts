import type { EndpointName } from '@hortus/contract/endpoints';
import { goodRequest, type ReadyRequest } from './good-requests.ts';
import type { Caller } from './running-service.ts';

/**
 * Good requests for tests in which nothing may be written, one for each row: what one test left as it was serves the next as
 * well, and most of a test's time goes into making what its request is about. Who sends it to have something done wants a
 * `goodRequest` of his own.
 */
export function untouchedRequests(): (name: EndpointName, caller: Caller) => Promise<ReadyRequest> {
  const made = new Map<EndpointName, Promise<ReadyRequest>>();
  return (name, caller) => {
    const known = made.get(name) ?? goodRequest(name, caller);
    made.set(name, known);
    return known;
  };
}
