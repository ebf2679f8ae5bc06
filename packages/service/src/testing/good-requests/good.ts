import type { CallOf } from '@hortus/client/client';
import type { EndpointName, Endpoints } from '@hortus/contract/endpoints';
import type { Caller } from '../running-service.ts';

/** What a request is made with: a key speaks for the caller unless the row wants a signed-in person. */
type Good<Name extends EndpointName> = CallOf<Endpoints[Name]> & { readonly headers?: Record<string, string> };

/**
 * One request for every row of the contract that the service must answer with success. Each makes what it needs, so they
 * work in any order and for any caller. A row that is missing here does not compile.
 */
export type GoodRequests = { readonly [Name in EndpointName]: (caller: Caller) => Promise<Good<Name>> | Good<Name> };

let number = 0;
export const nextNumber = () => ++number;
/** A name that nothing has yet. */
export const fresh = (word: string) => `${word}-${nextNumber()}`;
