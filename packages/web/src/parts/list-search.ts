import { type RegisteredRouter, type RouteById, type RouteIds, useNavigate, useSearch } from '@tanstack/react-router';

/** What a list keeps in the URL, beside its own filters. A link to it shows the same rows. */
export interface ListSearch {
  readonly page?: number;
  /** A column; with a leading minus descending. */
  readonly sort?: string;
  readonly q?: string;
}

const MAX_LENGTH = 200;

/** Makes the validateSearch of a route with a list and these filters. Drops all other params of a URL, and long texts. */
export const listSearch =
  <const Filter extends string = never>(...filters: Filter[]) =>
  (params: Record<string, unknown>): ListSearch & { readonly [name in Filter]?: string } => {
    const texts = ['sort', 'q', ...filters].flatMap((name) => {
      const value = params[name];
      return typeof value === 'string' && value !== '' && value.length <= MAX_LENGTH ? [[name, value]] : [];
    });
    const page = Number(params.page);
    return { ...Object.fromEntries(texts), ...(Number.isSafeInteger(page) && page > 1 && { page }) };
  };

type Tree = RegisteredRouter['routeTree'];
/** Search params of a page. */
export type SearchOf<Id extends RouteIds<Tree>> = RouteById<Tree, Id>['types']['fullSearchSchema'];

/** The search params of a page and a function that changes some of them. A new filter starts at the first page. */
export function useListSearch<Id extends RouteIds<Tree>>(
  from: Id,
): [SearchOf<Id>, (changes: Partial<SearchOf<Id>>) => void] {
  return [useSearch({ from }), useChange()];
}

/** The same for a part that several pages show: any of their params. */
export const useCurrentSearch = (): [AnySearch, (changes: AnySearch) => void] => [useAnySearch(), useChange()];

const useAnySearch = () => useSearch({ strict: false });
type AnySearch = ReturnType<typeof useAnySearch>;
/** Name of a text in the search params. */
export type FilterName = Exclude<keyof AnySearch, 'page'>;

function useChange() {
  const navigate = useNavigate();
  return (changes: AnySearch) =>
    void navigate({ to: '.', search: (now) => ({ ...now, page: undefined, ...changes }), replace: true });
}
