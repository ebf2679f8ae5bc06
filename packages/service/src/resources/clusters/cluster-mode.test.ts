import { generateKeyPairSync } from 'node:crypto';
import { sealingKeyText } from '@hortus/template/sealing/sealing-key';
import { until } from '@hortus/testkit/until';
import { beforeAll, expect, it } from 'vitest';
import { DaemonSocket } from '../../testing/daemon-socket.ts';
import { onBothEngines } from '../../testing/engines.ts';
import { type RunningService, startApp } from '../../testing/running-service.ts';

onBothEngines((engine) => {
  let service: RunningService;
  beforeAll(async () => {
    service = await startApp(engine);
  });

  async function registered(kind: 'server' | 'cluster') {
    const body = { name: `${kind}-1`, environment: 'staging', kind };
    const { id, api_key } = (await service.request('POST', '/servers/register', { body })).json.data;
    const sealing_key = sealingKeyText(generateKeyPairSync('x25519').publicKey);
    const { port } = service.app.http.server.address() as { port: number };
    const read = async (path = '') => (await service.request('GET', `/servers/${id}${path}`)).json.data;
    return {
      read,
      shown: async () => (await read()).daemon.refused,
      connect(capabilities: string[]) {
        const auth = { api_key, capabilities, sealing_key, journal: 'one' };
        const daemon = new DaemonSocket(`ws://127.0.0.1:${port}/ws/server`, { auth });
        engine.afterwards(() => daemon.socket.terminate());
        return daemon;
      },
    };
  }

  it('a daemon with --cluster is refused on an ordinary server, and the record says why', async () => {
    const { connect, shown, read } = await registered('server');
    expect(await shown()).toBeNull();
    expect(await connect(['ack', 'cluster']).closed).toBe(4403);
    expect(await shown()).toEqual({ reason: expect.stringContaining('without --cluster'), at: expect.any(String) });
    // Nothing is pinned for a refused daemon.
    expect((await read()).identity.status).toBe('unpinned');
    await connect(['ack']).received('authenticated');
    await until(async () => (await shown()) === null, { describe: 'the refusal to be forgotten' });
  });

  it('a daemon without --cluster is refused on a cluster, and the records of both say why', async () => {
    const { connect, shown, read } = await registered('cluster');
    expect(await connect(['ack']).closed).toBe(4403);
    const reason = expect.stringContaining('with --cluster');
    expect(await shown()).toMatchObject({ reason });
    expect(await read('/members')).toMatchObject([{ role: 'pending', daemon: { refused: { reason } } }]);
    await connect(['ack', 'cluster']).received('leadership');
    await until(async () => (await shown()) === null, { describe: 'the refusal to be forgotten' });
    expect(await read('/members')).toMatchObject([{ role: 'leader', daemon: { refused: null } }]);
  });
});
