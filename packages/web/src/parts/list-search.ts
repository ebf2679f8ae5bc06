import { useNavigate, useSearch } from '@tanstack/react-router';

/** What a list keeps in the URL: page, sort, search, and its filters. A link to it shows the same rows. */
export interface ListSearch {
  readonly page?: number;
  /** A column; with a leading minus descending. */
  readonly sort?: string;
  readonly q?: string;
  readonly [filter: string]: string | number | undefined;
}

/** validateSearch of a route with a list: keeps short texts and whole numbers, drops the rest of a hand-made URL. */
export function listSearch(given: Record<string, unknown>): ListSearch {
  const kept = Object.entries(given).filter(
    ([, value]) => (typeof value === 'string' && value !== '' && value.length <= 200) || Number.isSafeInteger(value),
  ) as [string, string | number][];
  const { page, ...rest } = Object.fromEntries(kept);
  return { ...rest, ...(typeof page === 'number' && page > 1 && { page }) };
}

/** The list state of the current page and a function that changes it. A new filter starts at the first page. */
export function useListSearch(): [ListSearch, (change: ListSearch) => void] {
  const search = useSearch({ strict: false }) as ListSearch;
  const navigate = useNavigate();
  const change = (changed: ListSearch) => {
    const next = listSearch({ ...search, page: undefined, ...changed });
    void navigate({ to: '.', search: next as never, replace: true });
  };
  return [search, change];
}
