import type { Event } from '@hortus/contract/resources/events';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { client } from '../../api/client.ts';
import { useEvents } from '../../api/live-context.ts';
import { type EventFilter, passes } from './event-filter.ts';

const PER_PAGE = 100;
/** Kept of the stream; older ones are read again when the list is opened again. */
const MAX_RECEIVED = 2_000;

/**
 * Events, newest first: pages of the past as far as they were scrolled to, and what the stream has brought since. The
 * past does not change, so it is read once; a fixed end keeps its pages from shifting.
 */
export function useEventHistory(filter: EventFilter) {
  const [opened] = useState(() => new Date().toISOString());
  const [received, setReceived] = useState<readonly Event[]>([]);
  useEvents((event) => setReceived((before) => [event, ...before].slice(0, MAX_RECEIVED)));
  const until = filter.until !== undefined && filter.until < opened ? filter.until : opened;
  const past = useInfiniteQuery({
    queryKey: ['event-history', { ...filter, until }],
    queryFn: ({ pageParam, signal }) =>
      client.call('events.list', { query: { ...filter, until, page: pageParam, per_page: PER_PAGE }, signal }),
    initialPageParam: 1,
    getNextPageParam: ({ pagination: { page, total_pages } }) => (page < total_pages ? page + 1 : undefined),
    staleTime: 'static',
  });
  const events = useMemo(() => {
    const all = new Map<string, Event>();
    for (const event of received) if (passes(event, filter)) all.set(event.id, event);
    for (const page of past.data?.pages ?? []) for (const event of page.data) all.set(event.id, event);
    return [...all.values()].sort((a, b) => b.seq - a.seq);
  }, [received, past.data, filter]);
  return { past, events };
}
