import { expect, it } from 'vitest';
import { readEngines } from './selected-engines.ts';

it('tests run on both engines unless the run selects some', () => {
  expect(readEngines(undefined)).toEqual(['sqlite', 'postgres']);
  expect(readEngines('')).toEqual(['sqlite', 'postgres']);
  expect(readEngines('postgres, sqlite')).toEqual(['sqlite', 'postgres']);
  expect(readEngines('sqlite')).toEqual(['sqlite']);
  expect(readEngines('postgres')).toEqual(['postgres']);
});

it.each(['postgresql', 'sqlite,', 'sqlite,mysql'])(
  'a run that selects %j is refused instead of testing less',
  (list) => {
    expect(() => readEngines(list)).toThrow('HORTUS_TEST_ENGINES');
  },
);
