import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { endpoints } from '@hortus/contract/endpoints';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createClient } from './client.ts';
import { type WorkName, waitForEnd } from './wait-for-end.ts';

let server: Server;
/** Statuses of the record, one for each read; the last one repeats. */
let statuses: string[];
let paths: string[];

beforeEach(async () => {
  paths = [];
  server = createServer((request, response) => {
    // An older service without a stream.
    if (request.url?.startsWith('/events')) return response.destroy();
    paths.push(request.url ?? '');
    const status = statuses.length > 1 ? statuses.shift() : statuses[0];
    const record = { id: 'x_1', status };
    response.writeHead(200, { 'content-type': 'application/json' });
    const fields = request.url?.startsWith('/actions') ? { execution: record } : { data: record };
    response.end(JSON.stringify({ success: true, ...fields }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise<unknown>((resolve) => server.close(resolve));
});

const work: Readonly<Record<WorkName, readonly [unfinished: string, ended: string]>> = {
  'actions.read': ['running', 'timeout'],
  'backups.read': ['pending', 'completed'],
  'deployments.read': ['running', 'failed'],
  'evacuations.read': ['cancelling', 'incomplete'],
  'gardens.run': ['applying', 'succeeded'],
  'imports.read': ['receiving', 'completed'],
  'migrations.read': ['switched', 'completed'],
  'rehearsals.read': ['testing', 'passed'],
};

it.each(Object.entries(work) as [WorkName, readonly [string, string]][])(
  '%s is read until its state is a final one',
  async (name, [unfinished, ended]) => {
    statuses = [unfinished, ended];
    const client = createClient({ baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
    const response = await waitForEnd(client, name, 'x_1');
    expect('execution' in response ? response.execution : response.data).toMatchObject({ status: ended });
    const path = endpoints[name].path.replace(/\{\w+\}/, 'x_1');
    expect(paths).toEqual([path, path]);
  },
);

it('waiting ends with the reason of the signal', async () => {
  statuses = ['running'];
  const client = createClient({ baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
  const signal = AbortSignal.abort(new Error('enough'));
  await expect(waitForEnd(client, 'deployments.read', 'x_1', { signal })).rejects.toThrow('enough');
});
