import type { CallOf } from '@hortus/client/client';
import type { EndpointName, Endpoints } from '@hortus/contract/endpoints';
import type { Caller } from '../running-service.ts';

/** Arguments of a request: the caller's key is used unless the row needs a signed-in user. */
type Good<Name extends EndpointName> = CallOf<Endpoints[Name]> & { readonly headers?: Record<string, string> };

/**
 * One successful request for every row of the contract. Each creates what it needs, so they work in any order and for
 * any caller. A missing row does not compile.
 */
export type GoodRequests = { readonly [Name in EndpointName]: (caller: Caller) => Promise<Good<Name>> | Good<Name> };

let number = 0;
export const nextNumber = () => ++number;
/** Returns an unused name. */
export const fresh = (word: string) => `${word}-${nextNumber()}`;
