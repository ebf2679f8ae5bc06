import type { CallOf } from '@hortus/client/client';
import type { EndpointName, Endpoints } from '@hortus/contract/endpoints';
import type { Caller } from '../running-service.ts';

/** Arguments of a request: the caller's key is used unless the row needs a signed-in user. */
type Good<Name extends EndpointName> = CallOf<Endpoints[Name]> & { readonly headers?: Record<string, string> };

/** The row that reads the record of a row's resource. */
type ReadOf<Name extends EndpointName> = Name extends `${infer Resource}.${string}`
  ? Exclude<Extract<`${Resource}.read`, EndpointName>, Name>
  : never;

/** Rows whose required arguments are among those of `<resource>.read`, such as the id of the record. */
type LikeRead = {
  [Name in EndpointName]: [ReadOf<Name>] extends [never] ? never : Good<ReadOf<Name>> extends Good<Name> ? Name : never;
}[EndpointName];

type Maker<Name extends EndpointName> = (caller: Caller) => Promise<Good<Name>> | Good<Name>;

/**
 * One successful request for every row of the contract. Each creates what it needs, so they work in any order and for
 * any caller. A missing row does not compile, unless the request of `<resource>.read` serves it as well.
 */
export type GoodRequests = { readonly [Name in Exclude<EndpointName, LikeRead>]: Maker<Name> } & {
  readonly [Name in LikeRead]?: Maker<Name>;
};

let number = 0;
export const nextNumber = () => ++number;
/** Returns an unused name. */
export const fresh = (word: string) => `${word}-${nextNumber()}`;
