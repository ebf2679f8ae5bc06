import Value from 'typebox/value';
import { expect, test } from 'vitest';
import { neededCapability, negotiatedToDaemon, negotiatedToService, toDaemon, toService } from './channel.ts';

test('the channel has exactly the published message types, each in its direction', () => {
  expect(Object.keys(toService).sort()).toEqual([
    'action_completed',
    'action_failed',
    'action_started',
    'auth',
    'pong',
  ]);
  expect(Object.keys(toDaemon).sort()).toEqual(['action_request', 'ping']);
  for (const [name, schema] of Object.entries({ ...toService, ...toDaemon })) {
    expect(schema.properties.type.const).toBe(name);
  }
});

test('negotiated messages have types of their own, and each needs a capability', () => {
  const negotiated = { ...negotiatedToDaemon, ...negotiatedToService };
  for (const [name, schema] of Object.entries(negotiated)) expect(schema.properties.type.const).toBe(name);
  const published = new Set(Object.keys({ ...toService, ...toDaemon }));
  expect(Object.keys(negotiated).filter((name) => published.has(name))).toEqual([]);
  expect(Object.keys(neededCapability).sort()).toEqual(Object.keys(negotiatedToDaemon).sort());
});

test('messages may have unknown fields, and reports need only an execution id', () => {
  expect(Value.Check(toService.auth, { type: 'auth', api_key: 'hs_live_x', build: { commit: 'abc' } })).toBe(true);
  expect(Value.Check(toService.action_completed, { type: 'action_completed', execution_id: 'exe_1' })).toBe(true);
  expect(Value.Check(toService.action_completed, { type: 'action_completed' })).toBe(false);
  expect(Value.Check(toService.auth, { type: 'pong', api_key: 'x' })).toBe(false);
});
