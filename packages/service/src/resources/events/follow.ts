import { setImmediate as nextTurn } from 'node:timers/promises';
import { guardedBy } from '@hortus/contract/runtime/guarded-by';
import type { Follow } from '../../http/handler.ts';
import { type LiveStream, type PreparedEvent, prepareEvent, writeWhole } from '../../http/live-stream.ts';
import type { Queries } from '../../storage/storage.ts';
import type { EventFeed } from './feed.ts';
import { matches } from './filter.ts';
import { eventRecord } from './record.ts';
import { type EventFilter, type EventRow, eventList, newestSeq, oldestSeq } from './store.ts';

export interface FollowDeps {
  readonly reader: Queries;
  readonly feed: EventFeed;
}

/** Events of one page while a follower catches up. */
const PAGE = 200;

/**
 * Sends the events that match the filter: from the database in pages until the follower has everything that the feed
 * has offered, then those of the feed. A follower that reads too slowly for the feed goes back to pages; nothing is
 * queued for it.
 */
export const followEvents =
  (deps: FollowDeps, filter: EventFilter, after: number | undefined): Follow =>
  async (stream) => {
    const { feed } = deps;
    await feed.join();
    try {
      let position = await begin(deps, after, stream);
      while (!stream.signal.aborted) {
        position = await catchUp(deps, filter, position, stream);
        position = await live(feed, filter, position, stream);
        await stream.drained();
      }
    } finally {
      feed.leave();
    }
  };

/** Returns the number to continue after. Tells the client if events after its last one may be missing. */
async function begin({ reader, feed }: FollowDeps, after: number | undefined, stream: LiveStream): Promise<number> {
  const newest = after !== undefined && after > feed.offered ? await newestSeq(reader) : feed.offered;
  // Such a number was never given: the database may have been restored from an older backup.
  const isUnknown = after !== undefined && after > newest;
  const position = after === undefined || isUnknown ? newest : after;
  stream.mark(String(position));
  const isRemoved = after !== undefined && !isUnknown && after + 1 < ((await oldestSeq(reader)) ?? newest + 1);
  if (isUnknown || isRemoved)
    stream.write({
      event: 'gap',
      data: { after, resumed_after: position, reason: isUnknown ? 'unknown_id' : 'removed' },
    });
  return position;
}

/** Returns the number up to which everything was sent: that of the feed, unless the stream has ended. */
async function catchUp(
  { reader, feed }: FollowDeps,
  filter: EventFilter,
  from: number,
  stream: LiveStream,
): Promise<number> {
  let position = from;
  while (!stream.signal.aborted && position < feed.offered) {
    const { offered } = feed;
    const page = await eventList(reader, { ...filter, after: position }).rows(PAGE, 0);
    for (const event of page) {
      if (!(await writeWhole(stream, prepareEvent(messageOf(event))))) return position;
      position = event.seq;
    }
    // A short page had everything that was numbered when it was read, which is at least what was offered before.
    if (page.length < PAGE) position = Math.max(position, offered);
    stream.mark(String(position));
    // Many followers catch up at once after a restart; pages of SQLite come without a turn of the event loop.
    await nextTurn();
  }
  return position;
}

/** Sends what the feed offers until the stream ends or has no room; returns the number up to which everything was sent. */
function live(feed: EventFeed, filter: EventFilter, from: number, stream: LiveStream): Promise<number> {
  // The feed has read more since the last page.
  if (from < feed.offered) return Promise.resolve(from);
  return new Promise((done) => {
    let position = from;
    let behind = false;
    const stop = () => {
      stream.signal.removeEventListener('abort', guardedStop);
      remove();
      done(position);
    };
    const guardedStop = guardedBy(() => done(position), stop);
    const remove = feed.add({
      accountId: filter.accountId,
      byTenant: filter.tenantId !== undefined,
      offer(event, tenants) {
        // The last page may have been read after these were numbered.
        if (behind || event.seq <= position) return;
        // Added after the tenants of this batch were looked up: the database knows them.
        const isBlind = filter.tenantId !== undefined && tenants === undefined;
        if (!isBlind && !matches(filter, event, tenants?.get(event.resource_id))) return;
        behind = isBlind || !stream.write(prepared(event));
        if (behind) stop();
        else position = event.seq;
      },
      reached(seq) {
        if (behind || seq <= position) return;
        position = seq;
        stream.mark(String(seq));
      },
    });
    stream.signal.addEventListener('abort', guardedStop);
    if (stream.signal.aborted) stop();
  });
}

const messageOf = (row: EventRow) => ({ id: String(row.seq), event: 'change', data: eventRecord(row) });

/** The bytes of an event of the feed, which are the same for every follower. */
const frames = new WeakMap<EventRow, PreparedEvent>();

function prepared(row: EventRow): PreparedEvent {
  const frame = frames.get(row) ?? prepareEvent(messageOf(row));
  frames.set(row, frame);
  return frame;
}
