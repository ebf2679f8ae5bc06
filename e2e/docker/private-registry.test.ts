import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { askDocker } from '@hortus/testkit/docker-request';
import { registryLogin, startRegistry } from '@hortus/testkit/registry';
import { until } from '@hortus/testkit/until';
import { expect, test } from 'vitest';
import { deploy, finished, inside, openInstallation, redeploy } from './installation.ts';

/** An image with a moving tag, and a weekly job. */
const gate = (repository: string) => `
slug: gate
name: Gate
version: 1.0.0
archetype: application
taxonomy: {kingdom: applications, family: website}
image: {repository: "${repository}", tag: stable}
inputs:
  optional: [{name: GREETING, type: string, default: hello}]
components:
  main: {image: "\${template.image}", env: {GREETING: "\${inputs.GREETING}"}, stop_signal: SIGKILL}
  sweep:
    kind: job
    run: schedule
    schedule: weekly
    image: "\${template.image}"
    command: [cat, /word]
`;

test('a private registry: pull with a password, roll back to the old image, run a scheduled job', {
  timeout: 400_000,
}, async () => {
  await using registry = await startRegistry({ locked: true });
  await using installation = await openInstallation({ species: { gate: gate(`${registry.host}/garden/gate`) } });
  await installation.letIn(`http://${registry.host}`);
  const { engine, socketPath } = installation;
  const publish = (word: string) => registry.publish(socketPath, 'garden/gate', 'stable', { files: { '/word': word } });
  let daemon = installation.startDaemon();
  await installation.online();
  const { client } = installation.service;
  const image = await publish('old');

  const { data: definition } = await client.call('definitions.create', {
    body: { species: 'gate', instance_uid: 'gate', server_id: installation.serverId, inputs: {} },
  });
  const without = await finished(installation, await deploy(installation, definition.id));
  expect(without).toMatchObject({ status: 'failed', reason: 'image' });
  expect(without.error).toContain('/registries');

  const body = { host: registry.host, ...registryLogin };
  const { data: kept } = await client.call('registries.create', { body });
  const first = await finished(installation, await deploy(installation, definition.id));
  expect(first, first.error ?? '').toMatchObject({
    status: 'success',
    images: [
      { component: 'main', image },
      { component: 'sweep', image },
    ],
  });
  const old = first.images[0]?.digest;
  expect(old).toMatch(/^sha256:/);
  expect(await inside(engine, 'gate', 'cat', '/word')).toBe('old');

  await publish('new');
  const second = await redeploy(installation, definition.id, { GREETING: 'again' });
  expect(second).toMatchObject({ status: 'success' });
  expect(second.images[0]?.digest).not.toBe(old);
  expect(await inside(engine, 'gate', 'cat', '/word')).toBe('new');

  // The engine has lost the old image too; only the registry still has it, untagged.
  await askDocker(socketPath, 'DELETE', `/images/${registry.host}/garden/gate@${old}?force=true`);
  const { data: ordered } = await client.call('deployments.rollback', { params: { id: second.id } });
  const back = await finished(installation, ordered.id);
  expect(back, back.error ?? '').toMatchObject({
    status: 'success',
    kind: 'rollback',
    images: [{ digest: old }, { digest: old }],
  });
  expect(await inside(engine, 'gate', 'cat', '/word')).toBe('old');

  const said = daemon.output;
  await daemon.kill();
  makeDue(installation.stateOf());
  daemon = installation.startDaemon();
  const params = { id: back.instance_id ?? '' };
  const history = async () =>
    (await client.call('actions.history', { params, query: { kind: 'scheduled', status: 'completed' } })).data;
  await until(async () => (await history()).length > 0, {
    within: 120_000,
    describe: () => `a run of the job\n${daemon.output}`,
  });
  const [run] = await history();
  const { execution } = await client.call('actions.read', { params: { execution_id: run?.id ?? '' } });
  expect(execution).toMatchObject({ slug: 'sweep', kind: 'scheduled', exit_code: 0 });
  expect(execution.output).toBe('old');

  // Only the daemon receives the password.
  const { password } = registryLogin;
  const responses = [kept, without, first, second, back, (await client.call('registries.list', {})).data];
  responses.push((await client.call('events.list', { query: { per_page: 100 } })).data as never);
  expect(JSON.stringify(responses)).not.toContain(password);
  expect(`${said}${daemon.output}${installation.service.process.output}`).not.toContain(password);
  expect(readFileSync(join(installation.directory, 'hortus.db')).includes(password)).toBe(false);
});

/** Makes every scheduled job overdue while the daemon is stopped. */
function makeDue(stateDirectory: string): void {
  const db = new DatabaseSync(join(stateDirectory, 'journal.db'));
  expect(db.prepare('update schedules set due_at = 1').run().changes).toBe(1);
  db.close();
}
