import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Client, createClient } from '@hortus/client/client';
import type { Upgrade } from '@hortus/contract/resources/upgrades';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { scriptedTerminal, scriptedWorld } from '../testing/scripted-terminal.ts';
import type { World } from '../world/world.ts';
import { followMigration } from './migration.ts';
import { followUpgrade } from './upgrade.ts';

let server: Server;
let client: Client;
let status: string;
let reads: number;
/** Answers the request for the event stream. */
let stream: (response: ServerResponse, resourceId: string | null) => void;

beforeEach(async () => {
  reads = 0;
  server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://service');
    if (url.pathname === '/events') return stream(response, url.searchParams.get('resource_id'));
    reads++;
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(
      JSON.stringify({ success: true, data: { id: url.pathname.slice(1), status, log: [], transfers: [] } }),
    );
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  client = createClient({ baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise<unknown>((done) => server.close(done));
});

const waitOptions = { unfinished: 'It has not finished.' };

describe.each<[string, string, string, string, (world: World) => Promise<{ readonly status: string }>]>([
  ['migration', 'mig_1', 'copying', 'switched', (world) => followMigration(client, 'mig_1', world, waitOptions, false)],
  [
    'upgrade',
    'upg_1',
    'applying',
    'applied',
    (world) => followUpgrade(client, { id: 'upg_1', status: 'applying' } as Upgrade, world, waitOptions),
  ],
])('waiting for the end of an %s', (_, id, running, ended, follow) => {
  const world = () => scriptedWorld(scriptedTerminal([]), {});

  it('ends at the event that announces it, without polling for it', async () => {
    status = running;
    let announce: (() => void) | undefined;
    stream = (response, resourceId) => {
      expect(resourceId).toBe(id);
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('retry: 1000\n\n');
      announce = () => void response.write('id: 1\nevent: change\ndata: {}\n\n');
    };
    const pauses: number[] = [];
    // A pause ends only by the signal, which fires at an event.
    const pause = (ms: number, over?: AbortSignal) => {
      pauses.push(ms);
      if (announce && pauses.length > 1) {
        status = ended;
        announce();
        announce = undefined;
      }
      return new Promise<void>((done) => over?.addEventListener('abort', () => done(), { once: true }));
    };
    expect(await follow({ ...world(), pause })).toMatchObject({ status: ended });
    expect(reads).toBeLessThan(6);
    expect(pauses.at(-1)).toBeGreaterThanOrEqual(1_000);
  });

  it('polls a service without the stream', async () => {
    status = running;
    stream = (response) =>
      void response.writeHead(200, { 'content-type': 'application/json' }).end('{"success":true,"data":[]}');
    const pause = async () => {
      if (reads === 4) status = ended;
    };
    expect(await follow({ ...world(), pause })).toMatchObject({ status: ended });
    expect(reads).toBe(5);
  });
});
