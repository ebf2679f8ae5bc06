import type { Event } from '@hortus/contract/resources/events';
import type { InstanceOverview } from '@hortus/contract/resources/overview';
import { useApi } from '../../api/query.ts';
import { useListSearch } from '../../parts/list-search.ts';
import { Empty } from '../../parts/page.tsx';
import { sentenceCase } from '../../parts/status.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { Loaded } from '../../parts/waiting.tsx';
import { Actor } from '../events/actor.tsx';
import { useActorNames } from '../events/actors.ts';
import { eventWords } from '../overview/event-words.ts';

const columnsWith = (nameOf: (id: string) => string | undefined): readonly Column<Event>[] => [
  { name: 'What', cell: (event) => <b>{sentenceCase(eventWords(event, true))}</b> },
  { name: 'When', cell: ({ created_at }) => <Time at={created_at} ago /> },
  {
    name: 'By',
    wide: true,
    cell: ({ actor }) => <Actor actor={actor} name={actor === null ? undefined : nameOf(actor)} />,
  },
];

/** What happened to this instance, newest first. */
export function EventsTab({ about: { instance } }: { about: InstanceOverview }) {
  const [{ page = 1 }] = useListSearch('/frame/instances/$id');
  const nameOf = useActorNames();
  const query = useApi('events.list', { query: { resource_id: instance.id, page } });
  return (
    <Loaded query={query} lines={8}>
      {({ data, pagination }) =>
        data.length === 0 ? (
          <Empty title="No events.">Starts, stops, failed health checks and orders of people are recorded here.</Empty>
        ) : (
          <div className="sheet">
            <Table label="Events" columns={columnsWith(nameOf)} rows={data} pagination={pagination} />
          </div>
        )
      }
    </Loaded>
  );
}
