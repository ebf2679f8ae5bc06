import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { deafSocket } from '@hortus/testkit/deaf-socket';
import { type Docker, startDocker } from '@hortus/testkit/docker';
import { type SmallDisk, smallDisk } from '@hortus/testkit/small-disk';
import { temporaryFolder } from '@hortus/testkit/temporary-folder';
import { until } from '@hortus/testkit/until';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { expectConsistentSite, shown } from '../docker/consistent-site.ts';
import {
  createAndDeploy,
  deploy,
  ended,
  finished,
  type Installation,
  openInstallation,
  redeploy,
} from '../docker/installation.ts';
import { page } from '../docker/test-species.ts';

const TIMEOUT_MS = 120_000;
/** Critical moments: before the new container runs, while it is unverified, and while both run. */
const MOMENTS = ['before start', 'before wait_healthy', 'before remove_old'];

/** Starts an engine with its own disk that is restarted when it ends. */
let docker: Docker;
let disk: SmallDisk;
const folder = temporaryFolder('engine');
beforeAll(async () => {
  disk = smallDisk(join(folder.path, 'disk'), 64);
  docker = await startDocker({ dataRoot: disk.path, restarts: true });
});
afterEach(() => disk.makeRoom());
afterAll(async () => {
  await docker.stop();
  disk[Symbol.dispose]();
  await folder.remove();
});

const messages = ({ logs }: { logs: readonly { message: string }[] }) => logs.map(({ message }) => message).join('\n');
const change = (installation: Installation, id: string, inputs: Record<string, string>) =>
  installation.service.client.call('definitions.update', { params: { id }, body: { inputs } });

test('rollouts wait for an engine that is killed and restarted, and then complete', {
  timeout: 400_000,
}, async () => {
  await using installation = await openInstallation({ socketPath: docker.socketPath });
  const { engine } = installation;
  const note = join(installation.stateOf(), 'killed');
  const arm = (killAt: string) => {
    const daemon = installation.startDaemon({ killAt, killInstead: docker.pidFile });
    writeFileSync(note, '');
    return daemon;
  };
  let daemon = arm('never');
  await installation.online();
  const deployed = await Promise.all(
    ['stateless', 'stateful'].map(async (species) => {
      const uid = `${species}-restart`;
      return {
        uid,
        ...(await createAndDeploy(installation, uid, { species, inputs: { WEB_HOSTNAME: `${uid}.example.org` } })),
      };
    }),
  );
  for (const moment of MOMENTS) {
    await daemon.stop();
    daemon = arm(moment);
    await installation.online();
    rmSync(note);
    const orders = await Promise.all(
      deployed.map(async ({ definitionId }) => {
        await change(installation, definitionId, { GREETING: moment });
        return await deploy(installation, definitionId);
      }),
    );
    await until(() => existsSync(note), { within: TIMEOUT_MS, describe: `the engine to be killed ${moment}` });
    const ends = await Promise.all(orders.map((id) => finished(installation, id, TIMEOUT_MS)));
    for (const { status, error } of ends) expect(status, `${moment}: ${error}`).toBe('success');
    const said = ends.map(messages).join('\n');
    expect(said, moment).toMatch(/Could not .*(the engine cannot be reached|the engine (ended|broke) the stream)/);
    expect(said, moment).toMatch(/[Tt]he engine responds again/);
    for (const { uid } of deployed) {
      // A restarted engine may assign other addresses to its containers.
      await until(async () => (await shown(installation, uid)) === moment, {
        within: TIMEOUT_MS,
        describe: `${uid}'s page`,
      });
      await expectConsistentSite(installation, engine, uid, moment);
    }
  }
});

test('with a full engine disk the old version keeps serving, and the error names the reason', {
  timeout: 300_000,
}, async () => {
  await using installation = await openInstallation({ socketPath: docker.socketPath });
  const { engine } = installation;
  installation.startDaemon();
  await installation.online();
  const inputs = { WEB_HOSTNAME: 'stateful-thirsty.example.org', GREETING: 'before' };
  const { definitionId } = await createAndDeploy(installation, 'stateful-thirsty', { species: 'stateful', inputs });
  disk.fill();
  const full = await redeploy(installation, definitionId, { GREETING: 'too much' }, TIMEOUT_MS);
  expect(full).toMatchObject({ status: 'failed', reason: 'disk_full' });
  expect(full.error).toMatch(/^Could not .*no space left on device/);
  expect(full.error).toContain('The disk of the server is full; free some space and deploy again');
  await expectConsistentSite(installation, engine, 'stateful-thirsty', 'before');
  disk.makeRoom();
  expect(await redeploy(installation, definitionId, { GREETING: 'after' })).toMatchObject({ status: 'success' });
});

test('with a hanging engine only operations that need it fail', {
  timeout: 300_000,
}, async () => {
  await using way = temporaryFolder('deaf');
  await using installation = await openInstallation({
    socketPath: docker.socketPath,
    species: { hasty: page('hasty', '', { deadline: '10s' }) },
  });
  await using deaf = await deafSocket(join(way.path, 's'), docker.socketPath);
  const { engine } = installation;
  const { client } = installation.service;
  installation.startDaemon({ killAt: 'never', engineMs: 5_000, socketPath: deaf.socketPath });
  await installation.online();
  const [hung, other] = (await Promise.all(
    ['hasty', 'stateless'].map((species) => {
      const inputs = { WEB_HOSTNAME: `${species}-hung.example.org`, GREETING: 'before' };
      return createAndDeploy(installation, `${species}-hung`, { species, inputs });
    }),
  )) as [Deployed, Deployed];
  const deployment = async (id: string) => (await client.call('deployments.read', { params: { id } })).data;

  // One call of one rollout hangs: another rollout does not wait for it.
  let start: string | undefined;
  deaf.deafTo((line) => {
    if (start === undefined && / \/v[\d.]+\/containers\/\w+\/start/.test(line)) start = line;
    return line === start;
  });
  await change(installation, hung.definitionId, { GREETING: 'lost' });
  const lost = await deploy(installation, hung.definitionId);
  await until(() => start !== undefined, { describe: 'the call that hangs' });
  expect(await redeploy(installation, other.definitionId, { GREETING: 'after' })).toMatchObject({ status: 'success' });
  const failed = await finished(installation, lost, TIMEOUT_MS);
  expect(failed).toMatchObject({ status: 'failed', reason: 'engine' });
  expect(failed.error).toMatch(/^Could not start container \w+: the engine did not respond within 5000 ms/);
  deaf.listen();
  expect(await shown(installation, 'hasty-hung')).toBe('before');

  // All calls hang for longer than the rollout's deadline.
  let isDeaf = false;
  deaf.deafTo((line) => {
    isDeaf ||= line.includes('/containers/create');
    return isDeaf;
  });
  await change(installation, hung.definitionId, { GREETING: 'lost again' });
  const stuck = await deploy(installation, hung.definitionId);
  await until(async () => messages(await deployment(stuck)).includes('The engine does not respond; waiting for it'), {
    within: 60_000,
    describe: 'the wait for the engine',
  });
  const server = async () => (await client.call('servers.read', { params: { id: installation.serverId } })).data;
  expect(await server()).toMatchObject({ status: 'online', connected: true });
  const stop = await client.call('instances.stop', { params: { id: other.instanceId } });
  expect(await ended(installation, stop.execution.id)).toMatchObject({
    status: 'failed',
    error: expect.stringMatching(/^Could not .*: the engine did not respond within 5000 ms$/),
  });
  const overrides = async () => (await deployment(stuck)).logs.find(({ level }) => level === 'error');
  await until(overrides, { within: 60_000, describe: 'the rollout to be given up' });
  expect((await overrides())?.message).toMatch(/^Could not .*: the engine did not respond within 5000 ms/);
  deaf.listen();
  expect(await finished(installation, stuck, TIMEOUT_MS)).toMatchObject({ status: 'failed', reason: 'engine' });
  expect(await redeploy(installation, hung.definitionId, { GREETING: 'at last' })).toMatchObject({ status: 'success' });
  await expectConsistentSite(installation, engine, 'hasty-hung', 'at last');
});

type Deployed = Awaited<ReturnType<typeof createAndDeploy>>;
