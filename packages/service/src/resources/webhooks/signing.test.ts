import { createHmac } from 'node:crypto';
import { expect, it } from 'vitest';
import { deliveryHeaders } from './signing.ts';

const delivery = {
  eventId: 'evt_1',
  eventType: 'deployment.success',
  deliveryId: 'dlv_1',
  body: '{"type":"deployment.success"}',
  secret: 'a long random string',
  now: 1_700_000_000_999,
};

it('the raw body is signed in lower-case hex, as published', () => {
  // printf '{"type":"deployment.success"}' | openssl dgst -sha256 -hmac 'a long random string'
  const headers = deliveryHeaders(delivery);
  expect(headers['X-Service-Signature']).toBe('55fe86f0e559b3c0169a6d00fb6cd5226b95ff28cd0d9ed5e92ff95b05d16fa4');
  expect(headers).toMatchObject({
    'Content-Type': 'application/json',
    'X-Service-Event': 'deployment.success',
    'X-Service-Delivery': 'dlv_1',
    'webhook-id': 'evt_1',
    'webhook-timestamp': '1700000000',
  });
});

it('the Standard Webhooks signature matches the example of the specification', () => {
  // The example of the Standard Webhooks specification.
  const headers = deliveryHeaders({
    ...delivery,
    eventId: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    body: '{"test": 2432232314}',
    secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    now: 1_614_265_330_000,
  });
  expect(headers['webhook-signature']).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
});

it('the secret itself is the key if it is not in whsec_ notation', () => {
  const expected = createHmac('sha256', delivery.secret).update(`evt_1.1700000000.${delivery.body}`).digest('base64');
  expect(deliveryHeaders(delivery)['webhook-signature']).toBe(`v1,${expected}`);
});
