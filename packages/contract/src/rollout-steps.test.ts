import { describe, expect, it } from 'vitest';
import type { LogLine } from './resources/deployment-records.ts';
import { lengthOf, stepsOf } from './rollout-steps.ts';

const START = Date.parse('2026-11-16T09:00:00Z');
const line = (second: number, step: string | null, message: string, level: LogLine['level'] = 'info'): LogLine => ({
  number: second,
  at: new Date(START + second * 1000).toISOString(),
  ...{ step, message, level },
});
const begun = [
  line(0, null, 'Claimed'),
  line(3, 'pull', 'Pulled app (2000 ms)'),
  line(3, 'pull', 'Pulled db (3000 ms)'),
  line(4, 'create', 'Created app from x (100 ms)'),
  line(4, 'create', 'Created db from y (100 ms)'),
  line(5, 'start', 'Started db (200 ms)'),
];
const words = (lines: readonly LogLine[], status: 'pending' | 'running' | 'success' | 'failed') =>
  stepsOf(lines, { status }, START + 9_000).map(({ id, state }) => `${id} ${state}`);

describe('the steps of a rollout', () => {
  it('are done, running or to come', () => {
    expect(words([], 'pending')).toEqual([
      'pull waiting',
      'create waiting',
      'start waiting',
      'wait_healthy waiting',
      'switch waiting',
    ]);
    expect(words(begun, 'running')).toEqual([
      'pull done',
      'create done',
      'start done',
      'wait_healthy running',
      'switch waiting',
    ]);
  });

  it('wait until every component is healthy before they switch over', () => {
    const item = [...begun, line(6, 'wait_healthy', 'db is healthy (900 ms)')];
    expect(words(item, 'running')).toContain('wait_healthy running');
    const both = [...item, line(8, 'wait_healthy', 'app is healthy (1500 ms)')];
    expect(words(both, 'running')).toEqual(expect.arrayContaining(['wait_healthy done', 'switch running']));
  });

  it('end with the failed one, and nothing is to come', () => {
    const failed = [...begun, line(8, 'wait_healthy', 'app did not become healthy', 'error')];
    expect(words(failed, 'failed').at(-1)).toBe('wait_healthy failed');
    const twice = [...failed, line(9, null, 'The rollback failed too', 'error')];
    expect(words(twice, 'failed')).toContain('wait_healthy failed');
  });

  it('have the times of their own work, and parallel work counts once', () => {
    const [pull] = stepsOf(begun, { status: 'running' }, START + 9_000);
    expect(pull?.spans).toEqual([
      [START + 1_000, START + 3_000],
      [START, START + 3_000],
    ]);
    expect(lengthOf(pull?.spans ?? [])).toBe(3_000);
    expect(pull?.about).toBe('Pulled db, and 1 more');
  });
});
