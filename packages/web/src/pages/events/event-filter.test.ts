import type { Event } from '@hortus/contract/resources/events';
import { expect, it } from 'vitest';
import { filterOf, passes } from './event-filter.ts';

const event: Event = {
  id: 'evt_1',
  seq: 7,
  type: 'audit.key_created',
  account_id: 'acc_1',
  resource_type: 'key',
  resource_id: 'key_1',
  created_at: '2026-05-02T10:00:00.000Z',
  actor: null,
  data: {},
};

it('an event of the stream appears only in a list that would have it after a reload', () => {
  expect(passes(event, {})).toBe(true);
  expect(passes(event, { type: 'audit.*' })).toBe(true);
  expect(passes(event, { type: 'audit.key_revoked' })).toBe(false);
  expect(passes(event, { type: 'deployment.*' })).toBe(false);
  expect(passes(event, { resource_type: 'server' })).toBe(false);
  expect(passes(event, { resource_id: 'key_2' })).toBe(false);
  expect(passes(event, { since: '2026-05-03T00:00:00.000Z' })).toBe(false);
  expect(passes(event, { until: '2026-05-02T10:00:00.000Z' })).toBe(false);
  expect(passes(event, { tenant_id: 'tnt_1' })).toBe(false);
});

it('a hand-made date in the URL filters nothing', () => {
  expect(filterOf({ since: 'yesterday', type: 'audit.*' })).toEqual({ type: 'audit.*' });
});
