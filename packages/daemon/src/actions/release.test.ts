import { expect, test } from 'vitest';
import { stuckNetwork } from '../engine/stuck-network.ts';
import { serveNetwork } from '../engine/testing/served-network.ts';
import { lifecycle } from './built-in.ts';

test('a release succeeds although the engine counts endpoints that it does not list', async () => {
  const name = 'hortus-blog';
  await using served = await serveNetwork({ name, endpoints: {}, lost: 1 });
  let isForgotten = false;
  const forget = async () => {
    isForgotten = true;
  };
  const context = {
    engine: served.engine,
    uid: 'blog',
    manifest: undefined,
    params: {},
    unroute: async () => {},
    forget,
    abandon: async () => {},
  };
  const outcome = await lifecycle['hortus.release']?.(context, []);
  expect(outcome).toMatchObject({ status: 'completed', output: stuckNetwork(name) });
  expect(isForgotten).toBe(true);
});
