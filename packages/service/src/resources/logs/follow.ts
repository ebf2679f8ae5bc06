import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { StreamedLine } from '@hortus/contract/channel/streams';
import { type LogFilter, logMatcher } from '@hortus/contract/protocol/log-filter';
import type { Follow } from '../../http/handler.ts';
import type { LiveStream } from '../../http/live-stream.ts';
import { Problem } from '../../problem.ts';
import { Batch, leftOutEvent, lineEvent } from './batch.ts';
import type { LogFeed, LogFeeds } from './feed.ts';
import { millisOf } from './line-record.ts';
import type { LogPage, LogPages, ReadOrder } from './pages.ts';
import { type LogTarget, requireReachable } from './target.ts';

export interface FollowDeps {
  readonly pages: Pick<LogPages, 'read'>;
  readonly feeds: LogFeeds;
}

export interface Wanted extends LogFilter {
  readonly component?: string | undefined;
  /** Milliseconds since 1970. */
  readonly since?: number | undefined;
  /** The position to continue after, or the number of last lines to begin with. */
  readonly begin: { readonly after: number } | { readonly tail: number };
}

/** Lines of one page while a watcher catches up. */
const PAGE = 1_000;
const RETRY_MS = 1_000;
const PAUSE_MS = 100;
/** How long the daemon may be away before the watcher is told. */
const SILENT_MS = 3_000;

/**
 * Sends the lines of an instance: from the disk of the server until the watcher has what the feed has, then those of the
 * feed. A watcher that reads too slowly for the feed is told how many lines were left out; nothing is queued for it.
 */
export const followLogs =
  (deps: FollowDeps, target: LogTarget, wanted: Wanted): Follow =>
  async (stream) => {
    const { feed, leave } = deps.feeds.join(target, wanted.component);
    try {
      const reached: Reached = { position: 'after' in wanted.begin ? wanted.begin.after : undefined };
      while (!stream.signal.aborted) {
        await connected(feed, stream);
        if (stream.signal.aborted) return;
        if (feed.isOver) requireReachable(undefined);
        try {
          const caughtUp = await catchUp(deps, target, wanted, reached, stream);
          const joined = await sendRecent(feed, wanted, caughtUp, stream);
          reached.position = await live(deps, feed, wanted, joined, stream);
          // The feed was ahead of the page, or lost: do not ask the daemon without a pause.
          if (reached.position === caughtUp)
            await sleep(PAUSE_MS, undefined, { signal: stream.signal }).catch(() => undefined);
        } catch (error) {
          // The daemon was lost in the middle of a page; the feed finds out when it is back.
          if (!(error instanceof Problem) || error.details?.reason !== 'no_stream') throw error;
          await sleep(RETRY_MS, undefined, { signal: stream.signal }).catch(() => undefined);
        }
      }
    } finally {
      leave();
    }
  };

/** Waits for the daemon, and tells the watcher if that takes long. */
async function connected(feed: LogFeed, stream: LiveStream): Promise<void> {
  const gone = new Promise<void>((done) => {
    if (stream.signal.aborted) done();
    stream.signal.addEventListener('abort', () => done(), { once: true });
  });
  const arrived = Promise.race([feed.connected(), gone]).then(() => true);
  const waited = new AbortController();
  const isLate = sleep(SILENT_MS, false, { signal: waited.signal }).catch(() => true);
  if (!(await Promise.race([arrived, isLate])))
    stream.write({
      event: 'waiting',
      data: { text: 'The server is not connected; the log continues when it is back.' },
    });
  await arrived;
  waited.abort();
}

/** Position up to which a watcher has everything; undefined before the first page. */
interface Reached {
  position: number | undefined;
}

/**
 * Sends stored lines; returns the position up to which the watcher has everything. Notes it after every page: if the next one
 * fails, the watcher continues after this one.
 */
async function catchUp(
  { pages }: FollowDeps,
  target: LogTarget,
  { begin, since, q, level, component }: Wanted,
  reached: Reached,
  stream: LiveStream,
): Promise<number> {
  const filter = inputOf({ since, q, level, component });
  let { position } = reached;
  if (position === undefined) {
    const page = await pages.read(target, { ...filter, limit: 'tail' in begin ? begin.tail : 0 });
    await sendAll(page, stream);
    position = page.end;
    reached.position = position;
  }
  for (let more = true; more && !stream.signal.aborted; ) {
    const page = await pages.read(target, { ...filter, after: position, limit: PAGE });
    await sendAll(page, stream);
    more = page.more;
    // A position beyond the end is not of this log; its new lines follow.
    position = more ? (page.lines.at(-1)?.position ?? page.end) : page.end;
    reached.position = position;
  }
  stream.mark(String(position));
  return position;
}

async function sendAll({ lines, dropped }: Pick<LogPage, 'lines' | 'dropped'>, stream: LiveStream): Promise<void> {
  // The oldest lines are dropped first, so they were before these.
  const events = [...(dropped > 0 ? [leftOutEvent(dropped)] : []), ...lines.map(lineEvent)];
  for (const event of events) while (!stream.signal.aborted && !stream.write(event)) await stream.drained();
}

/** Sends what the feed received while the watcher read pages, like a page: no line of it is left out. */
async function sendRecent(feed: LogFeed, wanted: Wanted, from: number, stream: LiveStream): Promise<number> {
  if (feed.begin === undefined || from < feed.begin) return from;
  const recent = feed.recent.filter((line) => line.position > from);
  await sendAll({ lines: recent.filter(matcherOf(wanted)), dropped: 0 }, stream);
  return recent.at(-1)?.position ?? from;
}

function matcherOf({ q, level, since = 0 }: Wanted): (line: StreamedLine) => boolean {
  const matches = logMatcher({ q, level });
  return (line) => matches(line) && millisOf(line) >= since;
}

/** Sends the lines of the feed until it or the stream ends; returns the position up to which they were handled. */
function live({ feeds }: FollowDeps, feed: LogFeed, wanted: Wanted, from: number, stream: LiveStream): Promise<number> {
  const { q, level, since = 0 } = wanted;
  if (feed.begin === undefined || from < feed.begin) return Promise.resolve(from);
  const isFiltered = q !== undefined || level !== undefined || since > 0;
  const matches = matcherOf(wanted);
  return new Promise((done) => {
    let position = from;
    let leftOut = 0;
    let isNotifying = false;
    const stop = () => {
      stream.signal.removeEventListener('abort', guardedStop);
      remove();
      done(position);
    };
    const guardedStop = feeds.guard(stop);
    const notify = () => {
      if (leftOut > 0 && stream.write(leftOutEvent(leftOut))) leftOut = 0;
    };
    const notifyLater = async () => {
      isNotifying = true;
      while (leftOut > 0 && !stream.signal.aborted) {
        await stream.drained();
        notify();
        // A later batch took the room. Not again in this turn: a connection that was just reset takes nothing.
        if (leftOut > 0) await nextTurn();
      }
      isNotifying = false;
    };
    const leaveOut = (lines: number) => {
      leftOut += lines;
      if (!isNotifying) feeds.guard(notifyLater)();
    };
    const watcher = {
      offer(batch: Batch) {
        const fresh =
          (batch.lines[0]?.position ?? 0) > position
            ? batch.lines
            : batch.lines.filter((line) => line.position > position);
        const lines = isFiltered ? fresh.filter(matches) : fresh;
        position = fresh.at(-1)?.position ?? position;
        if (lines.length === 0) return stream.mark(String(position));
        if (leftOut > 0) notify();
        if (leftOut > 0) return leaveOut(lines.length);
        const share = batch.shareOf(feeds.room, feeds.watchers);
        const event = lines === batch.lines ? batch.whole(share) : batch.some(lines, share);
        if (stream.write(event)) feeds.room.spend(event.bytes.length);
        else leaveOut(lines.length);
      },
      leftOut: leaveOut,
      lost: stop,
    };
    const remove = feed.add(watcher);
    const recent = feed.recent.filter((line) => line.position > position);
    if (recent.length > 0) watcher.offer(new Batch(recent));
    stream.signal.addEventListener('abort', guardedStop);
    if (stream.signal.aborted) stop();
  });
}

/** Leaves out what is undefined, so that equal reads look equal. */
const inputOf = (filter: { readonly [Name in keyof ReadOrder]?: ReadOrder[Name] | undefined }): Partial<ReadOrder> =>
  Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined));
