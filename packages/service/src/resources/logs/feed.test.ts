import type { LogMessage, StreamedLine } from '@hortus/contract/channel/streams';
import { until } from '@hortus/testkit/until';
import { expect, it } from 'vitest';
import type { LiveStream } from '../../http/live-stream.ts';
import { Problem } from '../../problem.ts';
import { guardWith } from '../../process/guard.ts';
import type { DaemonStream } from '../../streams/daemon-stream.ts';
import { QuietLog } from '../../testing/quiet-log.ts';
import type { ServerState } from '../servers/public.ts';
import { type FeedDeps, LogFeed, LogFeeds } from './feed.ts';
import { followLogs } from './follow.ts';
import type { LogPage, ReadOrder } from './pages.ts';
import type { LogTarget } from './target.ts';

const line = (position: number, text = `line ${position}`): StreamedLine => ({
  position,
  at: '1700000000.000000000',
  component: 'main',
  replica: 1,
  container: 'c1',
  stream: 'stdout',
  level: null,
  text,
  cut: false,
});
const lines = (from: number, to: number, text?: string) => ({
  lines: Array.from({ length: to - from + 1 }, (_, n) => line(from + n, text)),
});

const target = { accountId: 'acc_1', serverId: 'srv_1', instance: 'shop' };

/** A daemon that is connected and says what the test lets it say. */
function standInDaemon() {
  const over = new AbortController();
  let receive: ((data: Buffer) => void) | undefined;
  const stream = {
    signal: over.signal,
    listen(listener: (data: Buffer) => void) {
      receive = listener;
    },
    send: () => true,
    close: () => over.abort(),
  };
  const log = new QuietLog();
  const deps: FeedDeps = {
    streams: { open: async () => stream as unknown as DaemonStream },
    serverState: async () => ({ connected: true, capabilities: ['streams'] }) as unknown as ServerState,
    guard: guardWith(log),
    log,
  };
  const says = (message: LogMessage) => receive?.(Buffer.from(JSON.stringify(message)));
  /** Tells that the lines after 10 follow, once it is asked. */
  const begin = async () => {
    await until(() => receive, { describe: 'the order to the daemon' });
    says({ from: 10 });
  };
  return { deps, says, begin };
}

async function openFeed() {
  const { deps, says, begin } = standInDaemon();
  const feed = new LogFeed(deps, target, undefined);
  await begin();
  return { feed, says, [Symbol.dispose]: () => feed.close() };
}

const positions = (feed: LogFeed) => feed.recent.map(({ position }) => position);

it('everything after the beginning of a feed is among its recent lines, also when old ones are dropped', async () => {
  using opened = await openFeed();
  const { feed, says } = opened;
  says(lines(11, 1_300));
  expect(feed.recent.length).toBeLessThanOrEqual(1_000);
  expect(feed.begin).toBe((positions(feed)[0] ?? 0) - 1);
  expect(positions(feed).at(-1)).toBe(1_300);
});

it('a feed keeps a bounded number of characters for those who join', async () => {
  using opened = await openFeed();
  const { feed, says } = opened;
  for (let n = 0; n < 100; n++) says({ lines: [line(11 + n, 'x'.repeat(32 * 1024))] });
  expect(feed.recent.length).toBeLessThanOrEqual(32);
});

it('a feed begins after the lines that the daemon left out: those who join read them from the server', async () => {
  using opened = await openFeed();
  const { feed, says } = opened;
  says(lines(11, 20));
  says({ left_out: 5, position: 25 });
  expect([feed.begin, positions(feed)]).toEqual([25, []]);
  says(lines(26, 27));
  expect([feed.begin, positions(feed)]).toEqual([25, [26, 27]]);
});

it('lines that were left out make no room disappear for the recent ones', async () => {
  using opened = await openFeed();
  const { feed, says } = opened;
  for (let n = 0; n < 20; n++) {
    const from = 11 + n * 10;
    says(lines(from, from + 8, 'x'.repeat(16 * 1024)));
    says({ left_out: 1, position: from + 9 });
  }
  says(lines(300, 310));
  expect([feed.begin, positions(feed)[0]]).toEqual([210, 300]);
});

/** Watches from position 20 on, as one of so many; `readPage` answers each reading of the stored lines. */
async function watch(
  readPage: (after: number, says: (message: LogMessage) => void) => Partial<LogPage>,
  { watchers = 1 } = {},
) {
  const { deps, says, begin } = standInDaemon();
  const over = new AbortController();
  const ids: string[] = [];
  let leftOut = 0;
  const stream: LiveStream = {
    signal: over.signal,
    write(event) {
      const texts = 'bytes' in event ? String(event.bytes) : `id: ${event.id}`;
      for (const [, lines] of texts.matchAll(/^data: \{"lines":(\d+)/gm)) leftOut += Number(lines);
      ids.push(...[...texts.matchAll(/^id: (\d+)$/gm)].map(([, id]) => id ?? ''));
      return true;
    },
    mark: () => {},
    drained: async () => {},
    end: () => {},
  };
  const pages = {
    read: async (_: LogTarget, { after = 0 }: ReadOrder) => {
      const page = readPage(after, says);
      return { lines: [], more: false, end: after, dropped: 0, ...page };
    },
  };
  const feeds = new LogFeeds(deps);
  const others = Array.from({ length: watchers - 1 }, () => feeds.join(target, undefined));
  const following = followLogs({ pages, feeds }, target, { begin: { after: 20 } })(stream);
  await begin();
  return {
    ids,
    says,
    get leftOut() {
      return leftOut;
    },
    async [Symbol.asyncDispose]() {
      over.abort();
      await following;
      for (const { leave } of others) leave();
    },
  };
}

it('a line that arrives while a watcher reads the stored ones is sent after them', async () => {
  await using watched = await watch((_, says) => {
    says(lines(21, 22));
    return {};
  });
  await until(() => watched.ids.length > 0, { describe: 'the lines' });
  expect(watched.ids).toEqual(['21', '22']);
});

it('a watcher reads again what the daemon left out while it read the stored lines', async () => {
  const reads: number[] = [];
  await using watched = await watch((after, says) => {
    if (reads.push(after) > 1) return { ...lines(21, 30), end: 30 };
    says({ left_out: 10, position: 30 });
    return {};
  });
  await until(() => watched.ids.length > 0, { describe: 'the lines' });
  expect(reads.slice(0, 2)).toEqual([20, 20]);
  expect(watched.ids).toEqual(lines(21, 30).lines.map(({ position }) => String(position)));
});

const idsOf = (from: number, to: number) => lines(from, to).lines.map(({ position }) => String(position));

it('a watcher does not get lines twice if a later page of the stored ones fails', async () => {
  let reads = 0;
  await using watched = await watch((after) => {
    reads++;
    if (after === 20) return { ...lines(21, 25), more: true, end: 30 };
    if (reads === 2) throw new Problem('SERVER_ERROR', 'The daemon was lost.', { reason: 'no_stream' });
    return { ...lines(26, 30), end: 30 };
  });
  await until(() => watched.ids.includes('30'), { describe: 'the last line' });
  expect(watched.ids).toEqual(idsOf(21, 30));
});

it('of many watchers, each gets all lines that a server sends together after a stall', async () => {
  await using watched = await watch(() => ({}), { watchers: 500 });
  watched.says(lines(21, 21));
  await until(() => watched.ids.includes('21'), { describe: 'the first line' });
  // Some twenty seconds of a log with three lines a second.
  watched.says(lines(22, 80));
  expect([watched.ids, watched.leftOut]).toEqual([idsOf(21, 80), 0]);
});

it('of many watchers, each gets a part of an endless flood and the number of the other lines', async () => {
  await using watched = await watch(() => ({}), { watchers: 500 });
  watched.says(lines(21, 21));
  await until(() => watched.ids.includes('21'), { describe: 'the first line' });
  let last = 21;
  for (let batch = 0; batch < 50; batch++) {
    watched.says(lines(last + 1, last + 500));
    last += 500;
  }
  expect(watched.leftOut).toBeGreaterThan(0);
  expect(watched.ids.length + watched.leftOut).toBe(last - 20);
});
