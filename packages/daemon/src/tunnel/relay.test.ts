import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { connect as connectTcp, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { freePort } from '@hortus/testkit/port';
import { type RunningProcess, startProcess } from '@hortus/testkit/process';
import { temporaryFolder } from '@hortus/testkit/temporary-folder';
import { until } from '@hortus/testkit/until';
import { expect, test } from 'vitest';
import { farSettings, nearSettings } from './relay-settings.ts';
import { selfSigned } from './self-signed.ts';

/** Both relays as processes of this machine, in front of a socket that answers when its input has ended. */
async function openRelays() {
  const folder = temporaryFolder('relay');
  const place = (name: string) => join(folder.path, name);
  const [near, far] = [selfSigned('near'), selfSigned('far')];
  const write = (name: string, content: string) => {
    writeFileSync(place(name), content, { mode: 0o600 });
    return place(name);
  };
  const engine = createServer({ allowHalfOpen: true }, (client: Socket) => {
    let said = '';
    client.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
    client.on('end', () => client.end(`heard ${said}`));
    client.on('error', () => undefined);
  }).listen(place('engine.sock'));
  await once(engine, 'listening');
  const port = await freePort();
  const farPlaces = { identity: write('far.pem', far.identity), peer: write('near.crt', near.certificate) };
  const nearPlaces = { identity: write('near.pem', near.identity), peer: write('far.crt', far.certificate) };
  const settings = [
    write('far.cfg', farSettings(farPlaces, place('engine.sock'), `127.0.0.1:${port}`)),
    write('near.cfg', nearSettings(nearPlaces, place('near.sock'), `127.0.0.1:${port}`)),
  ];
  const relays: RunningProcess[] = settings.map((file) => startProcess(['haproxy', '-db', '-f', file]));
  return {
    port,
    near: place('near.sock'),
    /** Sends a text, ends the input, and returns the answer. */
    async ask(socket: Socket, text: string): Promise<string> {
      socket.end(text);
      let response = '';
      for await (const chunk of socket.setEncoding('utf8')) response += chunk;
      return response;
    },
    async [Symbol.asyncDispose]() {
      for (const relay of relays) await relay.kill();
      engine.close();
      await folder.remove();
    },
  };
}

const open = (path: string): Socket => connectTcp({ path, allowHalfOpen: true });

test('a tunnel passes both directions on, and the end of input before the response', async () => {
  await using relays = await openRelays();
  const text = await until(() => relays.ask(open(relays.near), 'x'.repeat(100_000)).catch(() => ''), {
    describe: 'an answer through both relays',
  });
  expect(text).toBe(`heard ${'x'.repeat(100_000)}`);
});

test('the far end lets nothing through without the key of the near end', async () => {
  await using relays = await openRelays();
  await until(() => relays.ask(open(relays.near), 'x').catch(() => ''), { describe: 'the relays' });
  const plain = connectTcp({ port: relays.port, host: '127.0.0.1', allowHalfOpen: true });
  expect(await relays.ask(plain, 'x').catch((error) => String(error))).not.toContain('heard');
  const outsider = selfSigned('near');
  for (const identity of [undefined, outsider.identity]) {
    const overrides = identity === undefined ? {} : { key: identity, cert: outsider.certificate };
    const socket = connectTls({ port: relays.port, host: '127.0.0.1', rejectUnauthorized: false, ...overrides });
    await expect(relays.ask(socket, 'x')).rejects.toThrow(/certificate required|unknown ca|alert|reset/i);
  }
});
