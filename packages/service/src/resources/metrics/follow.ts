import type { InstanceReading, ServerReading } from '@hortus/contract/resources/metrics';
import type { Follow } from '../../http/handler.ts';
import { type PreparedEvent, prepareEvent } from '../../http/live-stream.ts';
import type { MetricsFeeds } from './feed.ts';
import type { MetricsTarget } from './server-readings.ts';

/** Returns the event of a reading; undefined ends the stream. */
export type EventOf = (reading: ServerReading) => PreparedEvent | undefined | Promise<PreparedEvent | undefined>;

/** Sends every reading of a server. A watcher that reads too slowly misses readings and continues with the newest. */
export const followReadings =
  (feeds: MetricsFeeds, target: MetricsTarget, eventOf: EventOf): Follow =>
  async (stream) => {
    const { feed, leave } = feeds.join(target);
    try {
      let seen = 0;
      let sent: ServerReading | undefined;
      let reported: string | undefined;
      while (!stream.signal.aborted) {
        const { number, reading, delay, isOver } = await feed.next(seen, stream.signal);
        if (isOver || stream.signal.aborted) return;
        if (delay?.reason !== reported && (!delay || stream.write({ event: 'delayed', data: delay })))
          reported = delay?.reason;
        if (reading !== undefined && reading !== sent) {
          const event = await eventOf(reading);
          if (event === undefined) return;
          if (!stream.write(event)) {
            await stream.drained();
            continue;
          }
          sent = reading;
        }
        seen = number;
      }
    } finally {
      leave();
    }
  };

/** Bytes of each reading, by what is shown of it: made once for all who watch the same. */
const prepared = new WeakMap<ServerReading, Map<string, PreparedEvent>>();

export function readingEvent(
  reading: ServerReading,
  shown: string,
  dataOf: () => ServerReading | InstanceReading,
): PreparedEvent {
  const events = prepared.get(reading) ?? new Map<string, PreparedEvent>();
  prepared.set(reading, events);
  const known = events.get(shown);
  if (known) return known;
  const data = dataOf();
  const id = data.at === null ? {} : { id: String(Date.parse(data.at)) };
  const event = prepareEvent({ ...id, event: 'reading', data });
  events.set(shown, event);
  return event;
}
