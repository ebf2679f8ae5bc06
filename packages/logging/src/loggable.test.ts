import { expect, it } from 'vitest';
import { loggable } from './loggable.ts';

const size = (fields: object) => JSON.stringify(loggable(fields)).length;

it('an error keeps its stack, its causes and its fields', () => {
  const cause = Object.assign(new TypeError('inner'), { code: 'EINNER' });
  const { err } = loggable({ err: new Error('outer', { cause }) });
  expect(err).toMatchObject({
    type: 'Error',
    message: 'outer',
    stack: expect.stringMatching(/^Error: outer\n +at .*loggable\.test\.ts/),
    cause: { type: 'TypeError', message: 'inner', code: 'EINNER', stack: expect.stringContaining('loggable.test.ts') },
  });
});

it('the errors of an AggregateError are kept', () => {
  const { err } = loggable({ err: new AggregateError([new Error('one'), new Error('two')], 'both') });
  expect(err).toMatchObject({ message: 'both', errors: [{ message: 'one' }, { message: 'two' }] });
});

it('a long message is cut and the frames of its stack are kept', () => {
  const { err } = loggable({ err: new Error('x'.repeat(1_000_000)) }) as { err: { message: string; stack: string } };
  expect(err.message).toMatch(/^x+… \[cut\]$/);
  expect(err.stack).toContain('loggable.test.ts');
  expect(err.stack.length).toBeLessThan(9_000);
});

it('a secret that the cut would split is removed', () => {
  for (let length = 3_900; length < 4_100; length += 7) {
    const { err } = loggable({ err: new Error(`${'x'.repeat(length)} redis://me:hunter2hunter2@host`) });
    expect(JSON.stringify(err)).not.toContain('hunter2');
  }
});

it('a line is bounded, whatever is logged', () => {
  const cyclic = new Error('x'.repeat(5_000));
  cyclic.cause = cyclic;
  const wide = (depth: number): object =>
    depth === 0
      ? { text: 'x'.repeat(1_000) }
      : Object.fromEntries(Array.from('abcdefgh', (name) => [name, wide(depth - 1)]));
  for (const fields of [{ err: cyclic }, wide(4), { list: Array(100_000).fill('text') }, { bytes: Buffer.alloc(1e6) }])
    expect(size(fields)).toBeLessThan(100_000);
});

it('fields that cannot be read do not prevent the line', () => {
  const hostile = {
    get secret_part(): string {
      throw new Error('Bearer hunter2hunter2');
    },
  };
  expect(loggable(hostile)).toEqual({ unreadable_fields: 'Error: Bearer [removed]' });
});
