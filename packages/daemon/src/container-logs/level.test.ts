import { expect, it } from 'vitest';
import { levelOf } from './level.ts';

it.each([
  ['{"level":"error","msg":"x"}', 'error'],
  ['{"msg":"starting","severity":"WARNING"}', 'warn'],
  ['{"level":30,"msg":"pino"}', 'info'],
  ['time=2026 level=debug msg="x"', 'debug'],
  ['[Note] nothing', null],
  ['2026-01-01 10:00:00 UTC [42] FATAL:  database does not exist', 'error'],
  ['[error] 7#7: upstream timed out', 'error'],
  ['WARN  c.e.App - slow', 'warn'],
  ['warning: unused', 'warn'],
  ['there was no error at all', null],
  ['the info page', null],
  ['plain text', null],
  ['', null],
])('the level of %s is %s', (text, level) => {
  expect(levelOf(text)).toBe(level);
});
