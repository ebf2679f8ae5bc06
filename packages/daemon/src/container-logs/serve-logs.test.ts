import type { LogMessage } from '@hortus/contract/channel/streams';
import { openLog } from '@hortus/logging/log';
import { temporaryFolder } from '@hortus/testkit/temporary-folder';
import { until } from '@hortus/testkit/until';
import { afterAll, expect, test } from 'vitest';
import type { Stream } from '../streams/stream.ts';
import { LogStore } from './log-store.ts';
import { serveLogs } from './serve-logs.ts';
import type { CollectedLine } from './stored-line.ts';

const root = temporaryFolder('served-logs');
const store = new LogStore({ folder: root.path, limits: () => ({ maxBytes: 64 * 2 ** 20, maxAgeMs: 10 ** 12 }) });
afterAll(async () => {
  await store.close();
  await root.remove();
});

const line = (n: number, text = `line ${n}`): CollectedLine => ({
  at: `17${String(n).padStart(8, '0')}.000000000`,
  stream: 'stdout',
  replica: 1,
  container: 'c1',
  level: null,
  text,
  cut: false,
});
const lines = (count: number, text?: string) => Array.from({ length: count }, (_, n) => line(n, text));

/** Orders the new lines of an instance; `reads` tells whether the service reads at the moment. */
async function follow(instance: string) {
  const log = await store.of(instance);
  const over = new AbortController();
  const sent: LogMessage[] = [];
  const service = { reads: true, refused: 0 };
  let receive: (data: Buffer, isBinary: boolean) => void = () => {};
  const stream: Stream = {
    signal: over.signal,
    send: (data) => {
      if (!service.reads) service.refused++;
      return service.reads && sent.push(JSON.parse(String(data))) > 0;
    },
    drained: async () => {},
    listen: (listener) => {
      receive = listener;
    },
    close: () => over.abort(),
  };
  const served = serveLogs(store, openLog({ level: 'silent' }))(stream, { instance, requireSigned: () => {} });
  receive(Buffer.from(JSON.stringify({ mode: 'follow' })), false);
  await until(() => sent.some((message) => 'from' in message), { describe: 'the beginning' });
  const leftOut = () => sent.flatMap((message) => ('left_out' in message ? [message] : []));
  const received = () => sent.flatMap((message) => ('lines' in message ? message.lines : []));
  const leave = async () => {
    over.abort();
    await served;
  };
  return { log, service, sent, leftOut, received, [Symbol.asyncDispose]: leave };
}

test('more lines at once than may wait are left out, and the service is told how many and up to where', async () => {
  await using followed = await follow('chatty');
  const { log, received, leftOut } = followed;
  await log.append('main', lines(5_000));
  await until(() => leftOut().length > 0, { describe: 'the note about lines that were left out' });
  expect(received()).toHaveLength(2_000);
  expect(leftOut()).toEqual([{ left_out: 3_000, position: log.end }]);
});

test('long lines that wait are limited by their characters', async () => {
  await using followed = await follow('long');
  const { log, received, leftOut } = followed;
  await log.append('main', lines(200, 'x'.repeat(16 * 1024)));
  await until(() => leftOut().length > 0, { describe: 'the note about lines that were left out' });
  expect(received()).toHaveLength(32);
  expect(leftOut()).toEqual([{ left_out: 168, position: log.end }]);
});

test('a service that does not read is told how many lines it missed once it reads again, and gets the next ones', async () => {
  await using followed = await follow('slow');
  const { log, service, received, leftOut } = followed;
  service.reads = false;
  await log.append('main', lines(300));
  const { end } = log;
  await until(() => service.refused > 0, { describe: 'the attempt to send them' });
  service.reads = true;
  await until(() => leftOut().length > 0, { describe: 'the note about lines that were left out' });
  expect([received(), leftOut()]).toEqual([[], [{ left_out: 300, position: end }]]);
  await log.append('main', [line(1_000)]);
  await until(() => received().at(-1)?.position === log.end, { describe: 'the next line' });
  expect(received().map(({ position }) => position)).toEqual([end + 1]);
});
