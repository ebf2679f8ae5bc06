import { temporaryFolder } from '@hortus/testkit/temporary-folder';
import { expect, test } from 'vitest';
import { writeSubstitutes } from '../substitutes-file.ts';
import { act, deploy, ended, finished, openInstallation } from './installation.ts';
import { PAGE_IMAGE } from './test-species.ts';

/** No registry answers there. */
const repository = '127.0.0.1:1/team/pinned';
const digest = `sha256:${'a'.repeat(64)}`;
const pinned = `${repository}:2.1.0@${digest}`;

const species = `
slug: pinned
name: Pinned
description: A page whose image is pinned by a digest.
version: 1.0.0
app_version: 2.1.0
archetype: application
taxonomy: {kingdom: applications, family: website}
image: {repository: "${repository}", tag: 2.1.0, digest: "${digest}"}
command: [httpd, -f, -p, "8080", -h, /www]
stop_signal: SIGKILL
files: [{mount_path: /www/index.html, mode: "0644", content: hello}]
healthcheck: {http: {port: 8080, path: /}, interval: 200ms, timeout: 1s, retries: 3, start_period: 2s}
actions:
  - {name: Look from outside, slug: look, type: job, command: [cat, /www/index.html], timeout: 30s}
`;

test('a pinned image is pulled by default, and replaced by a local one where the operator says so', {
  timeout: 240_000,
}, async () => {
  await using folder = temporaryFolder('substitutes');
  await using installation = await openInstallation({ species: { pinned: species } });
  const { client } = installation.service;
  const body = { species: 'pinned', instance_uid: 'pinned', server_id: installation.serverId, inputs: {} };
  const { data: definition } = await client.call('definitions.create', { body });
  const plain = installation.startDaemon();
  await installation.online();
  const pulled = await finished(installation, await deploy(installation, definition.id));
  expect(pulled).toMatchObject({ status: 'failed', reason: 'image', images: [] });
  expect(pulled.error).toContain(`Could not pull image ${pinned}`);
  await plain.stop();

  const local = `${PAGE_IMAGE}:1`;
  installation.startDaemon({ env: writeSubstitutes(folder.path, { [`${repository}:2.1.0`]: local }) });
  const deployed = await finished(installation, await deploy(installation, definition.id));
  expect(deployed, deployed.error ?? '').toMatchObject({
    status: 'success',
    images: [{ component: 'main', image: pinned, digest: null, substitute: local }],
  });
  const [pull] = deployed.logs.filter(({ step }) => step === 'pull');
  expect(pull?.message).toContain(`Using the local image ${local} instead of ${pinned}`);

  const id = deployed.instance_id ?? '';
  const execution = await ended(installation, await act(installation, id, 'look'));
  expect(execution).toMatchObject({ status: 'completed', output: 'hello' });
  const again = await finished(installation, await deploy(installation, definition.id));
  expect(again).toMatchObject({ status: 'success', images: [{ substitute: local }] });
  expect(again.logs.map(({ message }) => message).join('\n')).toContain('nothing to do');
  const { data: instance } = await client.call('instances.read', { params: { id } });
  expect(instance).toMatchObject({ status: 'running', drifted_at: null, drift: [] });
  expect(await installation.engine.inspect('pinned')).toMatchObject({ image: local });
});
