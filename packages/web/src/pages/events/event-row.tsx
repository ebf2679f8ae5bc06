import { eventMeanings, isPublishedEvent } from '@hortus/contract/events';
import type { Event } from '@hortus/contract/resources/events';
import { OutputText } from '../../parts/output-text.tsx';
import { Time } from '../../parts/time.tsx';
import { Actor } from './actor.tsx';
import { ResourceLink } from './resource-link.tsx';

/** One event: when, what, about what, by whom; opened, its data. */
export function EventRow({
  event,
  actorName,
  isOpen,
  onOpen,
}: {
  event: Event;
  actorName: string | undefined;
  isOpen: boolean;
  onOpen: (id: string | undefined) => void;
}) {
  return (
    <div className="event-row">
      <Time at={event.created_at} />
      <button
        type="button"
        className="truncate text-left"
        aria-expanded={isOpen}
        title={isPublishedEvent(event.type) ? eventMeanings[event.type] : undefined}
        onClick={() => onOpen(isOpen ? undefined : event.id)}
      >
        <code>{event.type}</code>
      </button>
      <ResourceLink event={event} />
      <Actor actor={event.actor} name={actorName} />
      {isOpen && (
        <div className="event-data">
          <OutputText
            label="Data of the event"
            text={JSON.stringify(
              { id: event.id, seq: event.seq, created_at: event.created_at, data: event.data },
              null,
              2,
            )}
          />
        </div>
      )}
    </div>
  );
}
