import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { until } from '@hortus/testkit/until';
import { expect } from 'vitest';
import { type Catalog, catalogTest } from '../catalog-installation.ts';
import { type DeployedSpecies, deploySpecies } from '../deployed-species.ts';

export function nats(catalog: Catalog): void {
  catalogTest('NATS lists connections and streams', { timeout: 240_000 }, async () => {
    const deployed = await deploySpecies(catalog(), 'nats');
    const { username: user = '', password: pass = '' } = deployed.provided();
    const { socket, received } = await speak(deployed, 4222);
    socket.write(`CONNECT ${JSON.stringify({ user, pass, name: 'a client', verbose: false })}\r\nPING\r\n`);
    await until(async () => (await received()).includes('PONG'), { describe: 'PONG' });
    const stream = JSON.stringify({ name: 'SEEDS', subjects: ['seeds.*'] });
    socket.write('SUB _INBOX.1 1\r\n');
    socket.write(`PUB $JS.API.STREAM.CREATE.SEEDS _INBOX.1 ${stream.length}\r\n${stream}\r\n`);
    await until(async () => (await received()).includes('stream_create_response'), {
      describe: 'stream_create_response',
    });
    socket.write('PUB seeds.poppy 5\r\nthree\r\nPING\r\n');

    expect(JSON.parse(await deployed.run('stats'))).toMatchObject({ connections: 1 });
    expect(await deployed.run('connections', { limit: 10 })).toContain('a client');
    await until(async () => JSON.parse(await deployed.run('streams')).messages === 1, { describe: 'the message' });
    expect(await deployed.run('streams')).toContain('SEEDS');
    socket.destroy();
    const { socket: outsider, received: refusal } = await speak(deployed, 4222);
    outsider.write('CONNECT {"user":"app","pass":"wrong"}\r\nPING\r\n');
    await until(async () => (await refusal()).includes('Authorization Violation'), {
      describe: 'Authorization Violation',
    });
    outsider.destroy();
    await deployed.checkAndRelease();
  });

  async function speak(deployed: DeployedSpecies, port: number): Promise<{ socket: Socket; received: () => string }> {
    const socket = connect({ host: await deployed.address(), port });
    let text = '';
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
    socket.on('error', () => {});
    await once(socket, 'connect');
    return { socket, received: () => text };
  }
}
