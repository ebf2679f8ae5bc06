import type { Calls, FileName, Responses } from '@hortus/client/client';
import type { EndpointName } from '@hortus/contract/endpoints';
import {
  type FetchQueryOptions,
  type QueryClient,
  queryOptions,
  type UseMutationResult,
  type UseQueryResult,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { client } from './client.ts';
import { mayRefresh } from './rate-budget.ts';

type CallName = Exclude<EndpointName, FileName>;
type Parts<Name extends CallName> = Omit<Calls[Name], 'signal' | 'idempotencyKey'>;
type ResponseBody<Name extends CallName> = Responses[Name];
/** Arguments of a read by endpoint. An interface for a fast type check, as in the client. */
interface Rests extends RestTable {}
type RestTable = {
  [Name in CallName]: Record<string, never> extends Parts<Name> ? [parts?: Parts<Name>] : [parts: Parts<Name>];
};

const send = client.call as unknown as (name: string, parts: object) => Promise<unknown>;

/**
 * Options of a read. Its key is [endpoint, parts], so that events can find it (see live.ts). It never becomes stale by
 * itself: events renew it.
 */
export const apiQuery = <Name extends CallName>(name: Name, ...[parts]: Rests[Name]) =>
  queryOptions({
    queryKey: [name, parts ?? {}] as const,
    queryFn: ({ signal }) => send(name, { ...parts, signal }) as Promise<ResponseBody<Name>>,
    staleTime: Number.POSITIVE_INFINITY,
  });

/**
 * Starts a read with the code of its page instead of after it; for the loader of a route. Loaders also run when the
 * pointer rests on a link, so this leaves half of the rate limit to the person.
 */
export function prefetch<Name extends CallName>(queries: QueryClient, name: Name, ...rest: Rests[Name]): void {
  if (!mayRefresh()) return;
  // The type of a query of any endpoint is a union that the compiler gives up on.
  void queries.prefetchQuery(apiQuery(name, ...rest) as unknown as FetchQueryOptions);
}

/** Reads an endpoint; live. Keeps the last answer while a filter or page changes, so that nothing jumps. */
export const useApi = <Name extends CallName>(
  name: Name,
  ...rest: Rests[Name]
): UseQueryResult<ResponseBody<Name>, Error> => useApiWhen(true, name, ...rest);

/** Reads an endpoint once a condition holds, for example a search with a text. */
export const useApiWhen = <Name extends CallName>(
  enabled: boolean,
  name: Name,
  ...rest: Rests[Name]
): UseQueryResult<ResponseBody<Name>, Error> =>
  useQuery({
    ...apiQuery(name, ...rest),
    enabled,
    // Never that of another record, whose path has other parameters.
    placeholderData: (last, query) => (pathOf(query?.queryKey[1]) === pathOf(rest[0]) ? last : undefined),
  }) as UseQueryResult<ResponseBody<Name>, Error>;

/** Reads an endpoint once for as long as the tab lives, for what only names things. Nothing renews it. */
export const useApiOnce = <Name extends CallName>(
  enabled: boolean,
  name: Name,
  ...rest: Rests[Name]
): UseQueryResult<ResponseBody<Name>, Error> =>
  useQuery({ ...apiQuery(name, ...rest), enabled, staleTime: 'static' }) as UseQueryResult<ResponseBody<Name>, Error>;

const pathOf = (parts: unknown): string => JSON.stringify((parts as { params?: unknown } | undefined)?.params ?? {});

/** Orders a change. `mutateAsync` rejects with an ApiProblem; the events of the change renew what is shown. */
export const useOrder = <Name extends CallName>(
  name: Name,
): UseMutationResult<ResponseBody<Name>, Error, Parts<Name>> =>
  useMutation({
    mutationKey: [name],
    mutationFn: (parts: Parts<Name>) => send(name, parts) as Promise<ResponseBody<Name>>,
  });

/**
 * Renews reads by the beginning of their endpoint's name. Only for changes whose event another account gets, such as a
 * review; all others renew by themselves.
 */
export function useRenew(): (prefix: string) => void {
  const queries = useQueryClient();
  return (prefix) =>
    void queries.invalidateQueries({ predicate: ({ queryKey }) => String(queryKey[0]).startsWith(prefix) });
}
