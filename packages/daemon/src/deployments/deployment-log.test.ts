import type { ReportedLine } from '@hortus/contract/resources/deployment-reports';
import { until } from '@hortus/testkit/until';
import { expect, it } from 'vitest';
import { DeploymentLog, type LogBatch } from './deployment-log.ts';

const line = (message: string): ReportedLine => ({ at: 1, level: 'info', message });
const texts = ({ logs }: LogBatch) => logs.map(({ message }) => message);

it('log lines are sent in batches and in order', async () => {
  const batches: string[][] = [];
  const log = new DeploymentLog({
    send: async (batch) => void batches.push(texts(batch)),
    everyMs: 5,
    linesAtOnce: 50,
  });
  const all = Array.from({ length: 120 }, (_, n) => `${n}`);
  for (const message of all) log.add(line(message));
  await until(() => batches.flat().length === 120, { describe: 'all lines' });
  expect(batches.flat()).toEqual(all);
  expect(batches.length).toBeLessThanOrEqual(4);
  expect(Math.max(...batches.map(({ length }) => length))).toBeLessThanOrEqual(50);
});

it('log lines that did not arrive are resent before later ones', async () => {
  const arrived: string[] = [];
  let failures = 2;
  const send = async (batch: LogBatch) => {
    if (failures-- > 0) throw new Error('away');
    arrived.push(...texts(batch));
  };
  const log = new DeploymentLog({ send, everyMs: 1 });
  log.add(line('a'));
  await until(() => failures === 1, { describe: 'the first failure' });
  log.add(line('b'));
  await until(() => arrived.length === 2, { describe: 'both lines' });
  expect(arrived).toEqual(['a', 'b']);
});

it('a bounded number of log lines is buffered; missing ones are counted, and the rest is returned at the end', async () => {
  const log = new DeploymentLog({ send: () => Promise.reject(new Error('away')), everyMs: 1, limit: 10 });
  for (let n = 0; n < 25; n++) log.add(line(`${n}`));
  const rest = texts(await log.close());
  expect(rest.at(-1)).toBe('24');
  expect(rest.length).toBeLessThanOrEqual(11);
  expect(rest[0]).toBe('[15 lines omitted]');
});

it('log lines that are too long for the service are truncated', async () => {
  const log = new DeploymentLog({ send: async () => undefined });
  log.add(line('x'.repeat(20_000)));
  expect((await log.close()).logs[0]?.message.length).toBe(16_384);
});

it('log lines are sent with positions, so that they are recognised after a lost response', async () => {
  const kept: string[] = [];
  const sources = new Set<string>();
  // A service that stores what it receives and loses every second response.
  let responses = 0;
  const keep = (batch: LogBatch) => {
    sources.add(batch.log_position.source);
    kept.push(...texts(batch).slice(Math.max(0, kept.length - batch.log_position.from)));
  };
  const send = async (batch: LogBatch) => {
    keep(batch);
    if (responses++ % 2 === 0) throw new Error('the response was lost');
  };
  const log = new DeploymentLog({ send, everyMs: 1, linesAtOnce: 3 });
  const all = Array.from({ length: 9 }, (_, n) => `${n}`);
  for (const message of all.slice(0, 5)) log.add(line(message));
  await until(() => responses > 1, { describe: 'the second attempt' });
  for (const message of all.slice(5)) log.add(line(message));
  keep(await log.close());
  expect(kept).toEqual(all);
  expect(sources.size).toBe(1);
});
