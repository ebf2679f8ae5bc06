import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import { readWebhook } from './webhook.ts';

const now = 1_700_000_000_000;
const body = JSON.stringify({ id: 'evt_1', type: 'deployment.success', data: {} });
const seconds = now / 1000;

const signatureOf = (key: string | Buffer, timestamp = seconds) =>
  `v1,${createHmac('sha256', key).update(`evt_1.${timestamp}.${body}`).digest('base64')}`;
const headersWith = (signature: string, timestamp: unknown = seconds) => ({
  'webhook-id': 'evt_1',
  'webhook-timestamp': String(timestamp),
  'webhook-signature': signature,
});

test('a delivery that was signed with the secret is returned as an event', async () => {
  const headers = headersWith(signatureOf('secret'));
  expect(await readWebhook({ headers, body, secret: 'secret', now })).toMatchObject({ type: 'deployment.success' });
  expect(await readWebhook({ headers: new Headers(headers), body, secret: 'secret', now })).toMatchObject({
    id: 'evt_1',
  });
});

test('the example of the Standard Webhooks specification is accepted', async () => {
  const example = {
    headers: {
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    },
    body: '{"test": 2432232314}',
    secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    now: 1_614_265_330_000,
  };
  expect(await readWebhook(example)).toEqual({ test: 2432232314 });
});

test('while a secret is changed, either signature is enough', async () => {
  const headers = headersWith(`${signatureOf('new')} ${signatureOf('old')}`);
  for (const secret of ['new', 'old']) expect(await readWebhook({ headers, body, secret, now })).toBeDefined();
});

test('another secret, body, id or time is refused', async () => {
  const good = { headers: headersWith(signatureOf('secret')), body, secret: 'secret', now };
  expect(await readWebhook(good)).toBeDefined();
  expect(await readWebhook({ ...good, secret: 'other' })).toBeUndefined();
  expect(await readWebhook({ ...good, body: `${body} ` })).toBeUndefined();
  expect(await readWebhook({ ...good, headers: { ...good.headers, 'webhook-id': 'evt_2' } })).toBeUndefined();
  expect(
    await readWebhook({ ...good, headers: headersWith(signatureOf('secret'), seconds + 1) }),
    'a signature covers the time',
  ).toBeUndefined();
});

test('a delivery that is recorded and repeated later is refused', async () => {
  const good = { headers: headersWith(signatureOf('secret')), body, secret: 'secret' };
  expect(await readWebhook({ ...good, now: now + 300_000 })).toBeDefined();
  expect(await readWebhook({ ...good, now: now + 301_000 })).toBeUndefined();
  expect(await readWebhook({ ...good, now: now - 301_000 })).toBeUndefined();
  expect(await readWebhook({ ...good, now: now + 301_000, toleranceSeconds: 600 })).toBeDefined();
});

test.each(['', 'v1,', 'v1,AAAA', `v2,${signatureOf('secret').slice(3)}`, 'x'.repeat(10_000), ' '.repeat(10_000)])(
  'the malformed signature %j is refused',
  async (signature) => {
    expect(await readWebhook({ headers: headersWith(signature), body, secret: 'secret', now })).toBeUndefined();
  },
);

test('a missing header or a timestamp that is no number is refused', async () => {
  const signature = signatureOf('secret');
  for (const headers of [{}, headersWith(signature, 'NaN'), headersWith(signature, ''), new Headers()])
    expect(await readWebhook({ headers, body, secret: 'secret', now })).toBeUndefined();
});
