import { toDaemon } from '@hortus/contract/channel';
import { until } from '@hortus/testkit/until';
import { expect, test } from 'vitest';
import WebSocket from 'ws';
import { act, deploy, ended, finished, openGarden } from './garden.ts';

type Message = { type: string } & Record<string, unknown>;

test('a daemon that knows only the published messages deploys and acts, and is sent nothing else', {
  timeout: 300_000,
}, async () => {
  await using garden = await openGarden({ env: { HORTUS_PING_SECONDS: '2' } });
  const { client, base } = garden.service;
  const ask = async (method: string, path: string, body?: unknown) => {
    const response = await fetch(`${base}${path}`, {
      method,
      headers: { authorization: `Bearer ${garden.serverKey}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const answer = (await response.json()) as { success: boolean; data: never };
    expect(answer, `${method} ${path}`).toMatchObject({ success: true });
    return answer.data;
  };

  const heard: Message[] = [];
  const socket = new WebSocket(`${base.replace('http', 'ws')}/ws/server`);
  const say = (message: Message) => socket.send(JSON.stringify(message));
  socket.on('open', () => say({ type: 'auth', api_key: garden.serverKey }));
  socket.on('message', (data) => {
    const message = JSON.parse(String(data)) as Message;
    heard.push(message);
    if (message.type === 'ping') say({ type: 'pong', ts: message.ts });
    if (message.type !== 'action_request') return;
    const { execution_id } = message;
    say({ type: 'action_started', execution_id });
    say({ type: 'action_completed', execution_id, exit_code: 0, output: 'wrote a line\n' });
  });
  const closed: number[] = [];
  socket.on('close', (code) => closed.push(code));
  await garden.online();

  const body = { species: 'plot', instance_uid: 'published-plot', server_id: garden.serverId, inputs: {} };
  const { data: definition } = await client.call('definitions.create', { body });
  const deploymentId = await deploy(garden, definition.id);
  const pending: { id: string; status: string }[] = await ask('GET', '/deployments/pending');
  expect(pending).toMatchObject([{ id: deploymentId, definition_id: definition.id, status: 'pending' }]);
  await ask('PATCH', `/deployments/${deploymentId}/status`, { status: 'running' });
  expect(await ask('GET', '/deployments/pending')).toMatchObject([{ id: deploymentId, status: 'running' }]);
  const manifest = await ask('GET', `/manifest?definition_id=${definition.id}`);
  expect(manifest).toMatchObject({
    definition_id: definition.id,
    deployment_id: deploymentId,
    instance_uid: 'published-plot',
    revision: 1,
    components: [{ image: 'hortus.test/plot:1', env: { TOKEN: expect.stringMatching(/^.{32}$/) } }],
  });
  await ask('POST', '/deploy/report', {
    deployment_id: deploymentId,
    status: 'success',
    logs: [{ at: new Date().toISOString(), level: 'info', message: 'started by hand' }],
    instance: {
      container_id: 'c0ffee',
      container_name: 'published-plot',
      status: 'running',
      health: 'healthy',
      started_at: new Date().toISOString(),
    },
  });
  const deployed = await finished(garden, deploymentId);
  expect(deployed).toMatchObject({ status: 'success', logs: [{ message: 'started by hand' }] });
  const instanceId = deployed.instance_id ?? '';
  expect((await client.call('instances.read', { params: { id: instanceId } })).data).toMatchObject({
    status: 'running',
    health: 'healthy',
    container_id: 'c0ffee',
  });
  expect(await ask('GET', '/deployments/pending')).toEqual([]);

  const executionId = await act(garden, instanceId, 'note', { line: 'a line' });
  expect(await ended(garden, executionId)).toMatchObject({
    status: 'completed',
    exit_code: 0,
    output: 'wrote a line\n',
    started_at: expect.any(String),
  });
  const { execution } = await client.call('instances.stop', { params: { id: instanceId } });
  expect(await ended(garden, execution.id)).toMatchObject({ status: 'completed' });
  await until(() => heard.some(({ type }) => type === 'ping'), { describe: 'a ping' });

  expect(heard.filter(({ type }) => type === 'action_request')).toMatchObject([
    {
      execution_id: executionId,
      instance_id: instanceId,
      container_name: 'published-plot',
      action: { slug: 'note', type: 'exec', command: expect.arrayContaining(['a line']), timeout: '30s' },
      params: { line: 'a line' },
    },
    { action: { slug: 'hortus.stop', type: 'builtin', command: ['docker', 'stop', 'published-plot'] } },
  ]);
  for (const message of heard) {
    const { properties } = toDaemon[message.type as keyof typeof toDaemon] ?? expect.fail(`${message.type} was sent`);
    expect(Object.keys(message).sort()).toEqual(Object.keys(properties).sort());
    if ('action' in properties)
      expect(Object.keys(message.action as object).sort()).toEqual(Object.keys(properties.action.properties).sort());
  }
  expect(closed).toEqual([]);
  socket.terminate();
});
