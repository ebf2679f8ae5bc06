import type { Event } from '@hortus/contract/resources/events';
import type { Overview } from '@hortus/contract/resources/overview';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useEvents } from '../../api/live-context.ts';
import { Mark } from '../../parts/mark.tsx';
import { Section } from '../../parts/page.tsx';
import { Time } from '../../parts/time.tsx';
import { eventWords, subjectOf } from './event-words.ts';

const MAX = 8;

/** The newest events. Those of the stream show at once; the overview, read again a little later, has them too. */
export function RecentEvents({ overview }: { overview: Overview }) {
  const [received, setReceived] = useState<readonly Event[]>([]);
  useEvents((event) => setReceived((before) => [event, ...before].slice(0, MAX)));
  if (!overview.events) return <div />;
  const all = new Map([...received, ...overview.events].map((event) => [event.id, event]));
  const newest = [...all.values()].sort((a, b) => b.seq - a.seq).slice(0, MAX);
  return (
    <Section className="recent-events" title="Events" more={<Link to="/events">All events</Link>}>
      <ul className="events" aria-live="off">
        {newest.map((event) => {
          const subject = subjectOf(event, overview);
          return (
            <li key={event.id}>
              <Time at={event.created_at} />
              {subject.species ? (
                <Mark species={subject.species} family={subject.family ?? null} size={20} />
              ) : (
                <span />
              )}
              <p>
                {subject.name && <b>{subject.name} </b>}
                {eventWords(event, subject.name !== undefined)}
              </p>
            </li>
          );
        })}
      </ul>
    </Section>
  );
}
