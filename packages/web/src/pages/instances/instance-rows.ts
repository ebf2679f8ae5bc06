import { type InstanceSort, maxSorted } from '@hortus/contract/records/instance-sorts';
import type { Instance } from '@hortus/contract/resources/instance-records';
import { keepPreviousData, type UseQueryResult, useQueries, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { apiQuery } from '../../api/query.ts';
import type { SearchOf } from '../../parts/list-search.ts';

type Search = SearchOf<'/frame/instances'>;

/** Rows of one request. */
const PER_PAGE = 100;

const rowsQuery = ({ q, sort, status, health, server_id }: Search, page: number) => {
  const input = { q, sort, status, health, server_id };
  const filter = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined)) as {
    sort?: InstanceSort;
  };
  return apiQuery('instances.list', { query: { ...filter, page, per_page: PER_PAGE } });
};

export const firstRows = (search: Search) => rowsQuery(search, 1);

export interface InstanceRows {
  readonly first: UseQueryResult<unknown, Error>;
  readonly total: number | undefined;
  /** Rows that can be reached: a sorted list of many ends early. */
  readonly reachable: number;
  /** The row at a place; undefined until its page was read. */
  readonly at: (place: number) => Instance | undefined;
  /** Reads the pages of the places that are shown. */
  readonly show: (from: number, to: number) => void;
}

/**
 * The rows of the list, read in pages as they come into view: a list of 10,000 costs one request until it is scrolled, and an
 * event renews only the pages that are shown.
 */
export function useInstanceRows(search: Search): InstanceRows {
  const [shown, setShown] = useState<readonly number[]>([]);
  const first = useQuery({ ...firstRows(search), placeholderData: keepPreviousData });
  const others = useQueries({ queries: shown.map((page) => rowsQuery(search, page)) });
  const pages = new Map(others.map(({ data }, place) => [shown[place] as number, data?.data]));
  pages.set(1, first.data?.data);
  const total = first.data?.pagination.total;
  return {
    first,
    total,
    reachable: search.sort === undefined ? (total ?? 0) : Math.min(total ?? 0, maxSorted),
    at: (place) => pages.get(Math.floor(place / PER_PAGE) + 1)?.[place % PER_PAGE],
    show(from, to) {
      const wanted = [];
      for (let page = Math.floor(from / PER_PAGE) + 1; page <= Math.floor(to / PER_PAGE) + 1; page++)
        if (page > 1) wanted.push(page);
      if (wanted.join() !== shown.join()) setShown(wanted);
    },
  };
}
