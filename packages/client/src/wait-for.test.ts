import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createClient } from './client.ts';
import { waitFor } from './wait-for.ts';

let server: Server;
let reads: number;
let status: string;
/** Answers the request for the stream. */
let stream: (response: ServerResponse) => void;
/** Called with each read, before it is answered. */
let onRead: () => void;

beforeEach(async () => {
  reads = 0;
  status = 'running';
  onRead = () => {};
  server = createServer((request, response) => {
    if (request.url?.startsWith('/events')) return stream(response);
    reads++;
    onRead();
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ success: true, data: { id: 'dep_1', status } }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise<unknown>((resolve) => server.close(resolve));
});

const waiting = (signal?: AbortSignal) => {
  const client = createClient({ baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
  return waitFor(
    client,
    'deployments.read',
    { params: { id: 'dep_1' } },
    { resourceId: 'dep_1', until: ({ data }) => data.status === 'success', signal },
  );
};

const open = (response: ServerResponse) => {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.write('retry: 1000\n\n');
};

it('reads again when an event announces a change', async () => {
  let opened: ServerResponse | undefined;
  stream = (response) => {
    opened = response;
    open(response);
  };
  const reply = waiting();
  onRead = () => {
    if (!opened) return;
    // Answered with the old state: the next read is due only in 15 seconds, or at the event.
    opened.write('id: 1\nevent: change\ndata: {}\n\n');
    opened = undefined;
    setImmediate(() => {
      status = 'success';
    });
  };
  expect((await reply).data).toMatchObject({ status: 'success' });
  expect(reads).toBeLessThan(5);
});

it.each<[string, (response: ServerResponse) => void]>([
  [
    'is older',
    (response) =>
      void response.writeHead(200, { 'content-type': 'application/json' }).end('{"success":true,"data":[]}'),
  ],
  [
    'refuses the stream',
    (response) =>
      void response
        .writeHead(403, { 'content-type': 'application/json' })
        .end('{"success":false,"error":{"code":"FORBIDDEN","message":"No."}}'),
  ],
  ['hangs up', (response) => void response.destroy()],
])('polls when the service %s', async (_, response) => {
  stream = response;
  onRead = () => {
    if (reads === 4) status = 'success';
  };
  expect((await waiting()).data).toMatchObject({ status: 'success' });
  expect(reads).toBe(4);
});

it('ends with the reason of its signal, and closes the stream', async () => {
  const closed = Promise.withResolvers<void>();
  stream = (response) => {
    response.once('close', () => closed.resolve());
    open(response);
  };
  const leaving = new AbortController();
  onRead = () => {
    if (reads === 2) leaving.abort(new Error('enough'));
  };
  await expect(waiting(leaving.signal)).rejects.toThrow('enough');
  await closed.promise;
});
