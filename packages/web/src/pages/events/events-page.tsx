import { eventNames } from '@hortus/contract/events';
import { type ReactNode, useEffect, useEffectEvent, useMemo, useRef } from 'react';
import { FilterSelect, FilterText } from '../../parts/filter-choice.tsx';
import { Filter } from '../../parts/filters.tsx';
import { useListSearch } from '../../parts/list-search.ts';
import { LongList } from '../../parts/long-list.tsx';
import { Empty, Page } from '../../parts/page.tsx';
import { sentenceCase } from '../../parts/status.tsx';
import { Skeleton, Trouble } from '../../parts/waiting.tsx';
import { useActorNames } from './actors.ts';
import { filterOf } from './event-filter.ts';
import { useEventHistory } from './event-history.ts';
import { EventRow } from './event-row.tsx';

const ROW = 45;
const FAMILIES = ['deployment.*', 'instance.*', 'definition.*', 'action.*', 'audit.*'];
const RESOURCES = [
  'account',
  'backup',
  'definition',
  'deployment',
  'execution',
  'import',
  'instance',
  'invite',
  'key',
  'migration',
  'notification_channel',
  'notification_rule',
  'recipe',
  'registry',
  'saved_config',
  'connection',
  'server',
  'template',
  'tenant',
  'upgrade',
  'user',
  'vault',
  'webhook',
];
const TYPES = [
  ...FAMILIES.map((value) => ({ value, label: `${sentenceCase(value.slice(0, -2))}: all` })),
  ...eventNames.map((value) => ({ value, label: value })),
];

/** Everything that happened, newest first, live, as an audit with filters in the URL. */
export function EventsPage(): ReactNode {
  const [search, change] = useListSearch('/frame/events');
  const filter = useMemo(() => filterOf(search), [search]);
  const { past, events } = useEventHistory(filter);
  const nameOf = useActorNames();
  const isFiltered = Object.keys(filter).length > 0;
  return (
    <Page
      title="Events"
      sentence={
        <>
          What happened. <em>Newest first, as it happens.</em>
        </>
      }
    >
      <div className="filters">
        <FilterSelect name="type" label="Kind of event" all="All kinds" choices={TYPES} />
        <Filter name="resource_type" label="Resource" options={RESOURCES} />
        <FilterText name="resource_id" label="Id of a resource" placeholder="Id of a resource" />
        <Day name="since" label="From" />
        <Day name="until" label="To" />
        {isFiltered && (
          <button
            type="button"
            className="link text-sm"
            onClick={() => change(Object.fromEntries(Object.keys(search).map((name) => [name, undefined])))}
          >
            Clear
          </button>
        )}
      </div>
      {past.error && <Trouble error={past.error} />}
      {past.isPending ? (
        <div className="h-[70vh]">
          <Skeleton lines={12} />
        </div>
      ) : events.length === 0 ? (
        <Empty title={isFiltered ? 'No event matches.' : 'Nothing happened yet.'}>
          {isFiltered
            ? 'Choose other filters, or clear them.'
            : 'Deployments, changes of instances, sign-ins, keys: everything that is done here is listed, with who did it.'}
        </Empty>
      ) : (
        <LongList label="Events" rows={events} rowHeight={ROW} keyOf={({ id }) => id} className="event-list sheet">
          {(event, index) => (
            <>
              <EventRow
                event={event}
                actorName={event.actor === null ? undefined : nameOf(event.actor)}
                isOpen={search.event === event.id}
                onOpen={(opened) => change({ ...search, event: opened })}
              />
              {index === events.length - 1 && past.hasNextPage && (
                <More onSeen={() => void past.fetchNextPage()} isBusy={past.isFetchingNextPage} />
              )}
            </>
          )}
        </LongList>
      )}
    </Page>
  );
}

/** Reads older events when it comes into view. */
function More({ onSeen, isBusy }: { onSeen: () => void; isBusy: boolean }) {
  const place = useRef<HTMLDivElement>(null);
  const seen = useEffectEvent(onSeen);
  useEffect(() => {
    if (isBusy || !place.current) return undefined;
    const observer = new IntersectionObserver(([entry]) => {
      if (entry?.isIntersecting) seen();
    });
    observer.observe(place.current);
    return () => observer.disconnect();
  }, [isBusy]);
  return (
    <div ref={place} className="p-3 text-sm text-ink-3" role="status">
      Reading older events
    </div>
  );
}

function Day({ name, label }: { name: 'since' | 'until'; label: string }) {
  const [search, change] = useListSearch('/frame/events');
  return (
    <label className="flex items-center gap-2 text-sm text-ink-2">
      {label}
      <input
        type="date"
        className="input filter"
        value={search[name] ?? ''}
        onChange={(event) => change({ [name]: event.target.value })}
      />
    </label>
  );
}
