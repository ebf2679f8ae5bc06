import type { ContainerLine } from '@hortus/contract/resources/logs';
import { expect, it } from 'vitest';
import { LogBuffer, MAX_ROWS, rowOf, textOf } from './log-buffer.ts';

const line = (id: number): ContainerLine => ({
  id: String(id),
  at: '2030-01-01T00:00:00.000Z',
  component: 'web',
  replica: 1,
  container_id: 'c0ffee',
  stream: 'stdout',
  level: null,
  text: `line ${id}`,
  cut: false,
});

it('never holds more than 100,000 lines; the oldest go first and are counted', () => {
  const buffer = new LogBuffer();
  buffer.append(Array.from({ length: MAX_ROWS }, (_, id) => rowOf(line(id))));
  expect(buffer.dropped).toBe(0);
  buffer.append([rowOf(line(MAX_ROWS))]);
  expect(buffer.rows.length).toBeLessThanOrEqual(MAX_ROWS);
  expect(buffer.dropped + buffer.rows.length).toBe(MAX_ROWS + 1);
  expect(buffer.oldest).toBe(String(buffer.dropped));
  expect(buffer.rows.at(-1)).toMatchObject({ line: { id: String(MAX_ROWS) } });
});

it('older lines go before the others, only as many as there is room for', () => {
  const buffer = new LogBuffer();
  buffer.append(Array.from({ length: MAX_ROWS - 1 }, (_, id) => rowOf(line(id + 10))));
  expect(buffer.prepend([line(8), line(9)])).toBe(1);
  expect(buffer.oldest).toBe('9');
  expect(buffer.prepend([line(8)])).toBe(0);
});

it('lines that were left out are named in the viewer and in the file', () => {
  const buffer = new LogBuffer();
  buffer.append([rowOf(line(1)), buffer.gap(42)]);
  expect(textOf(buffer.rows)).toBe('2030-01-01T00:00:00.000Z web line 1\n… 42 lines left out\n');
});
