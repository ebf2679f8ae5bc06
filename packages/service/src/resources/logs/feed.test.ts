import type { LogMessage, StreamedLine } from '@hortus/contract/streams';
import { until } from '@hortus/testkit/until';
import { expect, it } from 'vitest';
import { guardWith } from '../../guard.ts';
import type { DaemonStream } from '../../streams/daemon-stream.ts';
import { QuietLog } from '../../testing/quiet-log.ts';
import type { Standing } from '../servers/public.ts';
import { LogFeed } from './feed.ts';

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

/** Opens a feed whose daemon is connected and has told that the lines after 10 follow. */
async function openFeed() {
  const over = new AbortController();
  let receive: ((data: Buffer) => void) | undefined;
  const daemon = {
    signal: over.signal,
    listen(listener: (data: Buffer) => void) {
      receive = listener;
    },
    send: () => true,
    close: () => over.abort(),
  };
  const log = new QuietLog();
  const feed = new LogFeed(
    {
      streams: { open: async () => daemon as unknown as DaemonStream },
      standing: async () => ({ connected: true, capabilities: ['streams'] }) as unknown as Standing,
      guard: guardWith(log),
      log,
    },
    { accountId: 'acc_1', serverId: 'srv_1', instance: 'shop' },
    undefined,
  );
  await until(() => receive, { describe: 'the order to the daemon' });
  const says = (message: LogMessage) => receive?.(Buffer.from(JSON.stringify(message)));
  says({ from: 10 });
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
