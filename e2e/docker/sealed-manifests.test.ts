import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createClient } from '@hortus/client/client';
import { ApiProblem } from '@hortus/client/problem';
import { until } from '@hortus/testkit/until';
import { expect, test } from 'vitest';
import { act, createAndDeploy, ended, finished, inside, openInstallation, redeploy } from './installation.ts';
import { PAGE_IMAGE } from './test-species.ts';

/** Shows its secrets in the environment of its container, and has an action with a secret param. */
const STRONGBOX = `
slug: strongbox
name: Strongbox
version: 1.0.0
archetype: application
taxonomy: {kingdom: applications, family: website}
image: {repository: ${PAGE_IMAGE}, tag: "1"}
command: [sleep, "100000"]
init: true
inputs:
  required: [{name: PASSWORD, type: password}]
  optional: [{name: GREETING, type: string, default: first}]
secrets:
  TOKEN: {generate: password, length: 32}
env: {PASSWORD: "\${inputs.PASSWORD}", TOKEN: "\${secrets.TOKEN}", GREETING: "\${inputs.GREETING}"}
healthcheck: {test: [test, -d, /], interval: 1s}
actions:
  - {name: Say, slug: say, type: exec, command: [echo, "\${params.word}"], params: [{name: word, type: password, required: true}]}
`;

const PASSWORD = 'hunter2-in-the-strongbox';
const WORD = 'a-secret-word-never-shown';

test('a deployment with secrets is sealed to its daemon, survives a kill and a rollback, and a stolen server key reads nothing', {
  timeout: 300_000,
}, async () => {
  await using installation = await openInstallation({ species: { strongbox: STRONGBOX } });
  const daemon = installation.startDaemon();
  await installation.online();
  const { client } = installation.service;
  const params = { id: installation.serverId };
  const server = async () => (await client.call('servers.read', { params })).data;
  // The key pair of a cluster's daemon belongs to its member.
  const identity = async () => {
    if (installation.kind === 'server') return (await server()).identity;
    return (await client.call('clusters.members', { params, query: {} })).data[0]?.identity;
  };
  const { definitionId, instanceId } = await createAndDeploy(installation, 'strongbox', {
    species: 'strongbox',
    inputs: { PASSWORD },
  });
  const env = async () => (await inside(installation.engine, 'strongbox', 'env')).split('\n');
  expect(await env()).toEqual(expect.arrayContaining([`PASSWORD=${PASSWORD}`, 'GREETING=first']));
  const token = (await env()).find((line) => line.startsWith('TOKEN='))?.slice(6) ?? '';
  expect(token.length).toBeGreaterThan(20);
  expect(await identity()).toMatchObject({ status: 'pinned', conflict_seen_at: null });

  // Its secret param is sent sealed, and the action receives it.
  const said = await ended(installation, await act(installation, instanceId, 'say', { word: WORD }));
  expect(said, said.error ?? '').toMatchObject({ status: 'completed' });

  // A stolen server key alone.
  const thief = createClient({
    baseUrl: installation.service.base,
    key: installation.serverKey,
    retries: { attempts: 1 },
  });
  const read = (sealing_key?: string) =>
    thief
      .call('manifest.read', { query: { definition_id: definitionId, ...(sealing_key && { sealing_key }) } })
      .then(({ data }) => JSON.stringify(data))
      .catch((error: ApiProblem) => error);
  const refused = await read();
  expect(refused).toBeInstanceOf(ApiProblem);
  expect(refused).toMatchObject({ status: 403, details: { reason: 'identity' } });

  // No value is in plain text on the server's disk, except in the engine's own files.
  const state = installation.stateOf();
  expect(statSync(state).mode & 0o777).toBe(0o700);
  for (const name of readdirSync(state, { recursive: true }) as string[]) {
    const path = join(state, name);
    if (!statSync(path, { throwIfNoEntry: false })?.isFile()) continue;
    const text = readFileSync(path, 'latin1');
    for (const secret of [PASSWORD, token, WORD]) expect(text.includes(secret), `${secret} in ${name}`).toBe(false);
    if (/^(journal\.db|identity\.key)/.test(name)) expect(statSync(path).mode & 0o777, name).toBe(0o600);
  }

  // A daemon with the server key and another key pair is refused; the pinned one keeps working.
  const before = (await identity())?.fingerprint;
  const outsider = installation.startDaemon({ state: 'other' });
  await outsider.waitForLine(/Another key pair is pinned for this (server|member of the cluster)/);
  expect(await server()).toMatchObject({ connected: true });
  expect(await identity()).toMatchObject({ status: 'conflict', fingerprint: before });
  await outsider.stop();
  // A member of a cluster is told by its record and an audit event alone.
  if (installation.kind === 'server') await daemon.waitForLine('another daemon used the key of this server');
  expect(await redeploy(installation, definitionId, { GREETING: 'second' })).toMatchObject({ status: 'success' });
  expect(await env()).toEqual(expect.arrayContaining([`PASSWORD=${PASSWORD}`, `TOKEN=${token}`, 'GREETING=second']));

  // After a kill it has the same key pair and journal.
  await daemon.kill('SIGKILL');
  installation.startDaemon();
  await installation.online();
  expect((await identity())?.fingerprint).toBe(before);
  const { data: history } = await client.call('deployments.list', { query: { definition_id: definitionId } });
  const { data: back } = await client.call('deployments.rollback', { params: { id: history[0]?.id ?? '' }, body: {} });
  expect(await finished(installation, back.id)).toMatchObject({ status: 'success' });
  expect(await env()).toEqual(expect.arrayContaining([`PASSWORD=${PASSWORD}`, `TOKEN=${token}`, 'GREETING=first']));

  // Built-in actions are signed; the daemon runs them.
  const { execution } = await client.call('instances.stop', { params: { id: instanceId } });
  expect(await ended(installation, execution.id)).toMatchObject({ status: 'completed' });
  await until(
    async () =>
      (await installation.engine.containers({ labels: { 'hortus.instance': 'strongbox' } }))[0]?.state !== 'running',
    {
      describe: 'the instance to be stopped',
    },
  );
});
