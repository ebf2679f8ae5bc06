import { countKey } from '../../storage/lists.ts';
import type { Page, PageRequest, Pages } from '../../storage/page.ts';
import type { Queries } from '../../storage/storage.ts';
import { countEvents, type EventFilter, type EventRow, eventsOf } from './store.ts';

/** Lists events, for the audit endpoint and for resources that show their own part. */
export const listEvents = (
  { reader, pages }: { readonly reader: Queries; readonly pages: Pages },
  filter: EventFilter,
  request: PageRequest,
): Promise<Page<EventRow>> =>
  pages.read(request, {
    rows: (limit, offset) => eventsOf(reader, filter, limit, offset),
    count: (atMost) => countEvents(reader, filter, atMost),
    countKey: countKey('events', filter),
  });
