import { until } from '@hortus/testkit/until';
import { beforeAll, expect, it } from 'vitest';
import { DaemonSocket } from '../../testing/daemon-socket.ts';
import { onBothEngines } from '../../testing/engines.ts';
import { expectRefusal } from '../../testing/published-response.ts';
import { type RunningService, startApp } from '../../testing/running-service.ts';

onBothEngines((engine) => {
  let service: RunningService;
  let number = 0;
  beforeAll(async () => {
    service = await startApp(engine);
  });

  /** A server whose daemon knows only the published interface, and a definition that runs on it. */
  async function openServer() {
    const { client, request } = service;
    const name = `routes-${++number}`;
    const { data: server } = await client.call('servers.register', { body: { name, environment: 'staging' } });
    const daemon = new DaemonSocket(`${service.base.replace('http', 'ws')}/ws/server`, {
      auth: { api_key: server.api_key, capabilities: [] },
    });
    engine.afterwards(() => daemon.socket.terminate());
    await until(async () => (await client.call('servers.read', { params: { id: server.id } })).data.connected, {
      describe: 'the daemon to be connected',
    });
    const define = async (instance_uid = name) => {
      const inputs = { WEB_HOSTNAME: `${name}.example.org` };
      const body = { species: 'inkwell', instance_uid, server_id: server.id, inputs };
      return (await client.call('definitions.create', { body })).data.id;
    };
    const execute = (definition_id: string) => request('POST', '/deployments/execute', { body: { definition_id } });
    const ordered = async (definition_id: string) => (await execute(definition_id)).json.data;
    const offered = async (): Promise<string[]> =>
      (await request('GET', '/deployments/pending', { key: server.api_key })).json.data.map(
        ({ id }: { id: string }) => id,
      );
    const report = (id: string, status: 'running' | 'success') =>
      request('PATCH', `/deployments/${id}/status`, { key: server.api_key, body: { status } });
    const deployed = async () => {
      const id = await define();
      await report((await ordered(id)).id, 'success');
      return id;
    };
    /** Answers the next order, and returns its command. */
    async function act(end: 'action_completed' | 'action_failed' = 'action_completed'): Promise<string> {
      const at = acted++;
      const { execution_id, action } = await until(() => daemon.of('action_request')[at], { describe: 'an order' });
      daemon.send(
        end === 'action_completed'
          ? { type: end, execution_id, exit_code: 0 }
          : { type: end, execution_id, error: 'no' },
      );
      return action.command.slice(0, 2).join(' ');
    }
    let acted = 0;
    const read = async (id: string) => (await client.call('deployments.read', { params: { id } })).data;
    const archive = (id: string, query = {}) => client.call('definitions.archive', { params: { id }, query });
    return { define, deployed, execute, ordered, offered, report, act, read, archive };
  }

  it('a definition that is deleted and created again takes over the address, after the old container is gone', async () => {
    const { define, deployed, ordered, offered, report, act, read, archive } = await openServer();
    await archive(await deployed());
    const again = await ordered(await define());
    expect(again.preparation).toMatchObject({ kind: 'release', done: false, execution_id: expect.any(String) });
    expect(await offered()).toEqual([]);
    expectRefusal(await report(again.id, 'running'), 'VALIDATION_ERROR', 'status');
    expect([await act(), await act()]).toEqual(['docker stop', 'docker rm']);
    await until(async () => (await offered()).includes(again.id), { describe: 'the deployment to be offered' });
    expect((await report(again.id, 'success')).status).toBe(200);
    expect(await read(again.id)).toMatchObject({ status: 'success', preparation: { done: true } });
  });

  it('the first of two that wait for an address gets it', async () => {
    const { define, deployed, ordered, offered, act, read, archive } = await openServer();
    await archive(await deployed());
    const both = [await ordered(await define()), await ordered(await define('another'))];
    await act();
    await act();
    const ended = await until(
      async () => {
        const now = await Promise.all(both.map(({ id }) => read(id)));
        return now.some(({ status }) => status === 'failed') && now;
      },
      { describe: 'one to fail' },
    );
    const [winner, loser] = ended[0]?.status === 'failed' ? [ended[1], ended[0]] : ended;
    expect(loser).toMatchObject({ reason: 'release', error: expect.stringContaining(winner?.definition_id ?? '?') });
    await until(async () => (await offered()).join() === winner?.id, { describe: 'the other to be offered' });
  });

  it('an address is not taken over from a container that stays', async () => {
    const { define, deployed, execute, archive } = await openServer();
    const kept = await deployed();
    await archive(kept, { container: 'keep' });
    const refused = await execute(await define());
    expectRefusal(refused, 'VALIDATION_ERROR', 'definition_id');
    expect(refused.json.error).toMatchObject({ details: { reason: 'route_taken', definition_id: kept } });
    // One that cannot be removed stays as well.
    const failing = await openServer();
    const old = await failing.deployed();
    await failing.archive(old);
    const again = await failing.ordered(await failing.define());
    expect([await failing.act(), await failing.act('action_failed')]).toEqual(['docker stop', 'docker rm']);
    await until(async () => (await failing.read(again.id)).status === 'failed', { describe: 'the deployment to fail' });
    expect(await failing.read(again.id)).toMatchObject({
      reason: 'release',
      error: expect.stringMatching(new RegExp(`address could not be taken over: .*${old}`)),
    });
  });
});
