import type { StreamEvent } from '@hortus/client/stream';
import type { Permission } from '@hortus/contract/permissions';
import type { LogLine } from '@hortus/contract/resources/deployment-records';
import { until } from '@hortus/testkit/until';
import { beforeAll, expect, it } from 'vitest';
import { onBothEngines } from '../../testing/engines.ts';
import { expectRefusal } from '../../testing/published-response.ts';
import { type RunningService, startApp } from '../../testing/running-service.ts';

onBothEngines((engine) => {
  let service: RunningService;
  beforeAll(async () => {
    service = await startApp(engine);
  });

  async function begun(uid: string) {
    const { client } = service;
    const { data: server } = await client.call('servers.register', { body: { name: uid, environment: 'staging' } });
    const inputs = { WEB_HOSTNAME: `${uid}.example.org`, SMTP_PASSWORD: 'hunter2-and-more' };
    const body = { species: 'inkwell', instance_uid: uid, server_id: server.id, inputs };
    const { data: definition } = await client.call('definitions.create', { body });
    const { data } = await client.call('deployments.execute', { body: { definition_id: definition.id } });
    const report = (status: 'running' | 'success', ...messages: string[]) =>
      client.call('deployments.status', {
        params: { id: data.id },
        body: { status, logs: messages.map((message) => ({ at: Date.now(), level: 'info', message, step: 'pull' })) },
      });
    return { id: data.id, report };
  }

  function following(id: string, lastEventId?: string) {
    const leaving = new AbortController();
    const seen: StreamEvent[] = [];
    const over = (async () => {
      const stream = service.client.stream('deployments.read', { params: { id }, lastEventId, signal: leaving.signal });
      for await (const event of stream) seen.push(event);
    })().catch(() => undefined);
    const messages = () => seen.filter(({ event }) => event === 'line').map(({ data }) => (data as LogLine).message);
    const states = () =>
      seen.filter(({ event }) => event === 'deployment').map(({ data }) => (data as { status: string }).status);
    const leave = async () => {
      leaving.abort();
      await over;
    };
    return { messages, states, leave };
  }

  it('a deployment is followed from its order to its end: every line once, and each state', async () => {
    const { id, report } = await begun('followed');
    const follower = following(id);
    await until(() => follower.states().includes('pending'), { describe: 'the first state' });
    await report('running', 'one', 'two');
    await until(() => follower.messages().length === 2, { describe: 'two lines' });
    await report('success', 'three');
    await until(() => follower.states().includes('success'), { describe: 'the end' });
    expect(follower.messages()).toEqual(['one', 'two', 'three']);
    expect([...new Set(follower.states())]).toEqual(['pending', 'running', 'success']);
    await follower.leave();
  });

  it('a follower that comes back gets the lines after its last one', async () => {
    const { id, report } = await begun('resumed');
    await report('running', 'one', 'two');
    const follower = following(id, '1');
    await until(() => follower.messages().length === 1, { describe: 'the rest' });
    expect(follower.messages()).toEqual(['two']);
    await follower.leave();
  });

  it('the deployment of another account cannot be followed', async () => {
    const { id } = await begun('private');
    const neighbour = await service.addAccount();
    const headers = { accept: 'text/event-stream' };
    expectRefusal(await neighbour.request('GET', `/deployments/${id}`, { headers }), 'NOT_FOUND');
  });

  it('a stream of a deployment ends when its key is revoked, and a key without the permission gets none', async () => {
    const { id } = await begun('revoked');
    const made = async (...permissions: Permission[]) =>
      (await service.client.call('keys.create', { body: { name: 'follower', permissions } })).data;
    const reader = await made('deployments:read');
    const headers = { accept: 'text/event-stream' };
    const response = await fetch(`${service.base}/deployments/${id}`, {
      headers: { ...headers, authorization: `Bearer ${reader.key}` },
    });
    const text = response.text();
    await service.client.call('keys.revoke', { params: { id: reader.id } });
    expect(await text).toContain('event: error\ndata: {"success":false,"error":{"code":"UNAUTHORIZED"');
    const { key } = await made('definitions:read');
    expectRefusal(await service.request('GET', `/deployments/${id}`, { headers, key }), 'FORBIDDEN');
  });

  it('a Last-Event-ID that is not the number of a line is refused before the stream begins', async () => {
    const { id } = await begun('odd-id');
    for (const lastId of ['-1', '1e9', 'one', '9'.repeat(400)]) {
      const headers = { accept: 'text/event-stream', 'last-event-id': lastId };
      const response = await service.request('GET', `/deployments/${id}`, { headers });
      expectRefusal(response, 'VALIDATION_ERROR', 'Last-Event-ID');
    }
  });
});
