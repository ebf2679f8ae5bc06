import { type Receiver, startReceiver } from '@hortus/testkit/receiver';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { AddressGuard } from './address-guard.ts';
import { type Post, post } from './post.ts';

let receiver: Receiver;
beforeEach(async () => {
  receiver = await startReceiver();
});
afterEach(() => receiver.stop());

const trusting = new AddressGuard({ allowPrivate: true });
const never = new AbortController().signal;
const send = (more: Partial<Post> = {}) =>
  post({
    url: `${receiver.url}/hook?a=b`,
    headers: { 'Content-Type': 'application/json', 'X-Leaf': 'green' },
    body: '{"snow":"☃"}',
    timeoutMs: 5_000,
    guard: trusting,
    signal: never,
    ...more,
  });

it('the body is sent unchanged with its headers, and the status is returned', async () => {
  expect(await send()).toMatchObject({ status: 200, error: null });
  const [request] = receiver.requests;
  expect(request).toMatchObject({ method: 'POST', path: '/hook?a=b', body: '{"snow":"☃"}' });
  expect(request?.headers).toMatchObject({ 'x-leaf': 'green', 'content-length': '14' });
});

it('redirects are not followed', async () => {
  receiver.respond({ status: 302, headers: { location: '/elsewhere' } });
  expect(await send()).toMatchObject({ status: 302 });
  expect(receiver.requests).toHaveLength(1);
});

it('a receiver that does not answer in time is given up', async () => {
  receiver.respond({ hang: true });
  expect(await send({ timeoutMs: 50 })).toMatchObject({ status: null, error: 'no answer within 0.05 s' });
});

it('a reset connection and a closed port have different error codes', async () => {
  receiver.respond({ close: true });
  expect(await send()).toMatchObject({ status: null, error: 'the request failed: ECONNRESET' });
  await receiver.stop();
  expect(await send()).toMatchObject({ status: null, error: 'the request failed: ECONNREFUSED' });
});

it('an endless response is cut off without an error', async () => {
  receiver.respond({ status: 200, body: 'x'.repeat(5_000_000) });
  expect(await send()).toMatchObject({ status: 200 });
});

it('private addresses are refused, given directly or by name, unless allowed', async () => {
  const guard = new AddressGuard({
    allowPrivate: false,
    resolve: (_, __, done) => done(null, [{ address: '127.0.0.1', family: 4 }]),
  });
  const refused = { status: null, error: 'the address is not allowed because it is not public' };
  expect(await send({ guard })).toMatchObject(refused);
  const rebound = new URL(receiver.url);
  rebound.hostname = 'rebound.example';
  expect(await send({ guard, url: rebound.href })).toMatchObject(refused);
  expect(receiver.requests).toEqual([]);
});

it('an abort ends the request', async () => {
  receiver.respond({ hang: true });
  const stop = new AbortController();
  const sending = send({ signal: stop.signal });
  await receiver.waitFor(() => true);
  stop.abort(new Error('stopped'));
  await expect(sending).rejects.toThrow('stopped');
});
