import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { cliMain } from '@hortus/testkit/programs';
import { type TemporaryFolder, temporaryFolder } from '@hortus/testkit/temporary-folder';
import { until } from '@hortus/testkit/until';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { run } from '../run.ts';
import { environment, hortusHere } from '../testing/hortus.ts';
import * as records from '../testing/records.ts';
import { type ScriptedService, startScriptedService } from '../testing/scripted-service.ts';
import { scriptedTerminal, scriptedWorld } from '../testing/scripted-terminal.ts';
import type { ScreenEvents } from '../world/screen.ts';

let service: ScriptedService;
let home: TemporaryFolder;

beforeEach(async () => {
  service = await startScriptedService();
  home = temporaryFolder('cli');
  service.list('servers.list', [records.server()]);
  service.on('metrics.server', () => ({ success: true, data: records.serverReading() }));
});
afterEach(async () => {
  await home.remove();
  await service.stop();
});

const top = (...argv: string[]) =>
  hortusHere(home.path, ['top', ...argv], { env: { HORTUS_URL: service.url, HORTUS_KEY: 'hk_live_1' } });

test('without a terminal it prints one table and ends', async () => {
  const { code, stdout } = await top();
  expect(code).toBe(0);
  expect(stdout).toMatch(/^web-1 +online +25\.0 % of 4 /m);
  expect(stdout).toMatch(/^feeds +web-1 +12\.5 % +1\.0 MiB /m);
});

test('--server reads only that server; --sort is checked; --once --json is one line for each server', async () => {
  service.list('servers.list', [records.server(), records.server({ id: records.recordId('srv', 2), name: 'web-2' })]);
  await top('--server', 'web-2');
  expect(service.asked.at(-1)).toMatchObject({ name: 'metrics.server', params: { id: records.recordId('srv', 2) } });
  expect(await top('--sort', 'colour')).toMatchObject({ code: 2, stderr: expect.stringContaining('--sort must be') });
  const { stdout } = await top('--once', '--json');
  expect(
    stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toEqual([records.serverReading(), records.serverReading()]);
});

test('without a server it says how to register one', async () => {
  service.list('servers.list', []);
  expect((await top()).stdout).toContain('hortus servers register');
});

/** A service that answers the list as the scripted one does, and streams readings. */
async function streaming() {
  const open = new Set<(event: string, data: object) => void>();
  const server = createServer((request, response) => {
    if (request.headers.accept?.includes('text/event-stream')) {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const send = (event: string, data: object) =>
        void response.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
      open.add(send);
      response.on('close', () => open.delete(send));
      response.write('retry: 1000\n\n');
      return;
    }
    const isList = request.url?.startsWith('/api/v1/servers?') || request.url === '/api/v1/servers';
    const pagination = { page: 1, per_page: 100, total: 1, total_pages: 1 };
    const body = isList
      ? { success: true, data: [records.server()], pagination }
      : { success: true, data: records.serverReading() };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    open,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1`,
    send: (event: string, data: object) => {
      for (const top of open) top(event, data);
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

test('at a terminal it is redrawn with each reading, sorts by s, quits by q and restores the terminal', async () => {
  await using live = await streaming();
  const frames: string[] = [];
  let closed = 0;
  let events: ScreenEvents | undefined;
  const screen = {
    width: 100,
    height: 24,
    draw: (lines: readonly string[]) => void frames.push(lines.join('\n')),
    close: () => {
      closed++;
    },
  };
  const terminal = scriptedTerminal([], {
    live: true,
    openScreen: (overrides) => {
      events = overrides;
      return screen;
    },
  });
  const ended = run(['top'], scriptedWorld(terminal, { HORTUS_URL: live.url, HORTUS_KEY: 'hk_live_1' }));
  await until(() => live.open.size === 1, { describe: 'the stream' });
  expect(frames[0]).toContain('12.5 %');
  const busy = records.serverReading({
    live: true,
    at: '2030-01-01T12:00:02.000Z',
    instances: [
      {
        instance_id: records.ids.instance,
        instance_uid: 'feeds',
        name: 'Feeds',
        components: [records.componentUsage({ cpu_percent: 99 })],
      },
    ],
  });
  live.send('reading', busy);
  await until(() => frames.at(-1)?.includes('99.0 %'), { describe: 'the new reading' });
  live.send('delayed', { reason: 'offline', text: 'away' });
  await until(() => frames.at(-1)?.includes('offline'), { describe: 'the mark of the offline server' });
  live.send('reading', { ...busy, at: '2030-01-01T12:00:04.000Z' });
  await until(() => frames.at(-1)?.includes('online'), { describe: 'the server to be back' });
  events?.key('s');
  expect(frames.at(-1)).toContain('by memory');
  const before = frames.length;
  events?.resized();
  expect(frames).toHaveLength(before + 1);
  events?.key('q');
  expect(await ended).toBe(0);
  expect(closed).toBe(1);
  await until(() => live.open.size === 0, { describe: 'the stream to be closed' });
});

test('the terminal is restored when the service refuses the stream', async () => {
  await using live = await streaming();
  let closed = 0;
  const screen = { width: 100, height: 24, draw: () => {}, close: () => void closed++ };
  const terminal = scriptedTerminal([], { live: true, openScreen: () => screen });
  const ended = run(['top'], scriptedWorld(terminal, { HORTUS_URL: live.url, HORTUS_KEY: 'hk_live_1' }));
  await until(() => live.open.size === 1, { describe: 'the stream' });
  live.send('error', { success: false, error: { code: 'FORBIDDEN', message: 'no longer allowed' } });
  expect(await ended).not.toBe(0);
  expect(closed).toBe(1);
  expect(terminal.noted).toContain('no longer allowed');
});

test('in a real terminal it leaves the alternate screen and the line mode as they were', async () => {
  await using live = await streaming();
  const child = spawn('script', ['-qec', `${process.execPath} ${cliMain} top; stty -a`, '/dev/null'], {
    env: { ...environment(home.path), TERM: 'xterm', HORTUS_URL: live.url, HORTUS_KEY: 'hk_live_1' },
    timeout: 100_000,
    killSignal: 'SIGKILL',
  });
  let shown = '';
  child.stdout.on('data', (data) => {
    shown += data;
  });
  const ended = new Promise((done) => child.on('close', done));
  await until(() => live.open.size === 1 && shown.includes('12.5 %'), { describe: 'the first frame' });
  child.stdin.write('q');
  expect(await ended).toBe(0);
  const [before = '', after = ''] = shown.split('\u001b[?1049l');
  expect(before.startsWith('\u001b[?1049h\u001b[?25l')).toBe(true);
  expect(before.endsWith('\u001b[?25h')).toBe(true);
  expect(after).toMatch(/(?<!-)icanon/);
});
