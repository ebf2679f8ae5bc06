import type { Page, PageRequest, Pages } from '../../storage/page.ts';
import type { Queries } from '../../storage/storage.ts';
import { type EventFilter, type EventRow, eventList } from './store.ts';

/** Lists events, for the audit endpoint and for resources that show their own part. */
export const listEvents = (
  { reader, pages }: { readonly reader: Queries; readonly pages: Pages },
  filter: EventFilter,
  request: PageRequest,
): Promise<Page<EventRow>> => pages.read(request, eventList(reader, filter));
