import { expect, it } from 'vitest';
import { streamJson } from './stream-json.ts';

it('a message of a stream is not parsed if it has more values than 5,000 lines of a log', () => {
  const line = {
    position: 1,
    at: '1',
    component: 'a',
    replica: 1,
    container: 'c',
    stream: 'out',
    level: null,
    text: '',
    cut: false,
  };
  const message = (count: number) => Buffer.from(JSON.stringify({ lines: Array(count).fill(line) }));
  expect(streamJson(message(5_000))).toHaveProperty('lines.length', 5_000);
  expect(() => streamJson(message(10_000))).toThrow('60000 values');
});
