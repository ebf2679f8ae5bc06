import { expect, test } from 'vitest';
import { startReceiver } from './receiver.ts';

const post = (url: string, body: string, timeout = 5_000) =>
  fetch(url, { method: 'POST', body, headers: { 'X-Event': 'made' }, signal: AbortSignal.timeout(timeout) });

test('the receiver records method, path, headers and the raw bytes', async () => {
  await using receiver = await startReceiver();
  expect((await post(`${receiver.url}/hook?a=1`, '{"ü": 1}')).status).toBe(200);
  const [request] = receiver.requests;
  expect(request).toMatchObject({ method: 'POST', path: '/hook?a=1', body: '{"ü": 1}', json: { ü: 1 } });
  expect(request?.headers['x-event']).toBe('made');
  expect(request?.rawBody.equals(Buffer.from('{"ü": 1}'))).toBe(true);
});

test('queued responses come first, one each, then the default one', async () => {
  await using receiver = await startReceiver();
  receiver.respond({ status: 410 });
  receiver.respondNext({ status: 500 }, { status: 201, headers: { 'x-seen': 'yes' }, body: 'ok' });
  expect((await post(receiver.url, '')).status).toBe(500);
  const second = await post(receiver.url, '');
  expect([second.status, second.headers.get('x-seen'), await second.text()]).toEqual([201, 'yes', 'ok']);
  expect((await post(receiver.url, '')).status).toBe(410);
});

test('a response may depend on the request', async () => {
  await using receiver = await startReceiver();
  receiver.respond((request) => ({ status: request.body === 'good' ? 204 : 400 }));
  expect((await post(receiver.url, 'good')).status).toBe(204);
  expect((await post(receiver.url, 'bad')).status).toBe(400);
});

test('the receiver supports delays, hangs and closed connections', async () => {
  await using receiver = await startReceiver();
  receiver.respondNext({ delay: 60 }, { hang: true }, { close: true });
  const started = performance.now();
  await post(receiver.url, 'delayed');
  expect(performance.now() - started).toBeGreaterThan(55);
  await expect(post(receiver.url, 'hanging', 1_000)).rejects.toMatchObject({ name: 'TimeoutError' });
  await expect(post(receiver.url, 'cut')).rejects.toThrow('fetch failed');
  expect(receiver.requests.map((request) => request.body)).toEqual(['delayed', 'hanging', 'cut']);
});

test('the receiver waits for a request and lists those that came instead', async () => {
  await using receiver = await startReceiver();
  const waiting = receiver.waitFor((request) => request.body === 'second');
  await post(receiver.url, 'first');
  await post(receiver.url, 'second');
  expect((await waiting).body).toBe('second');
  await expect(receiver.waitFor((request) => request.body === 'third', { within: 20 })).rejects.toThrow(
    'a webhook request; received: POST / first, POST / second',
  );
});

test('the receiver stops at once although a request hangs', async () => {
  const receiver = await startReceiver();
  receiver.respond({ hang: true });
  const hanging = post(receiver.url, 'x').catch((error: Error) => error);
  await receiver.waitFor(() => true);
  await receiver.stop();
  expect(await hanging).toBeInstanceOf(Error);
});
