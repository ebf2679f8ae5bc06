import { until } from '@hortus/testkit/until';
import { beforeEach, expect, it } from 'vitest';
import type { Principal } from '../../identity/principal.ts';
import { onBothEngines } from '../../testing/engines.ts';
import { type DeploymentServices, openDeploymentServices } from './testing/deployment-services.ts';

const MINUTE = 60_000;

onBothEngines((engine) => {
  let services: DeploymentServices;
  let owner: Principal;
  let daemon: Principal & { kind: 'server' };
  let definitionId: string;

  beforeEach(async () => {
    services = await openDeploymentServices(engine);
    owner = await services.account();
    daemon = await services.server(owner);
    definitionId = (await services.definition(owner, daemon.serverId)).id;
  });

  const begin = async () => {
    const { id } = await services.execute(owner, definitionId);
    return await services.patch(daemon, id, { status: 'running' });
  };
  const read = (id: string) => services.deployments.read(owner, id, 0);

  it('a deployment without progress fails, and the daemon is woken for the next', async () => {
    services.startJobs();
    const { id } = await begin();
    await services.execute(owner, definitionId);
    const before = services.woken.length;
    services.pass(10 * MINUTE);
    await until(async () => (await read(id)).status === 'failed', { describe: 'the end of the deployment' });
    expect(await read(id)).toMatchObject({ reason: 'deadline', finished_at: new Date(services.now()).toISOString() });
    await until(() => services.woken.length > before, { describe: 'the daemon to be woken' });
    expect(services.woken.slice(before)).toEqual([daemon.serverId]);
    expect((await services.eventsOf(id)).map(({ type, actor }) => [type, actor])).toEqual([
      ['deployment.started', daemon.serverId],
      ['deployment.failed', null],
    ]);
    await until(async () => (await jobs()) === 0, { describe: 'the end of its job' });
  });

  const jobs = async () => (await services.storage.reader.db.selectFrom('jobs').selectAll().execute()).length;

  it('the deadline counts from the last progress', async () => {
    const { id } = await begin();
    services.pass(9 * MINUTE);
    await services.patch(daemon, id, { status: 'running' });
    services.pass(9 * MINUTE);
    await services.checkDeadline(id);
    expect((await read(id)).status).toBe('running');
    services.pass(MINUTE);
    await services.checkDeadline(id);
    expect((await read(id)).status).toBe('failed');
  });

  it('a deployment that the next leader of a cluster does not continue within a minute ends with an unknown outcome', async () => {
    const { id } = await begin();
    await services.storage.write((tx) => services.deployments.interrupt(tx, daemon.serverId));
    services.pass(MINUTE - 1);
    await services.checkDeadline(id);
    expect(await read(id)).toMatchObject({ status: 'running', interrupted: true });
    services.pass(1);
    await services.checkDeadline(id);
    expect(await read(id)).toMatchObject({ status: 'failed', reason: 'outcome_unknown' });
    await expect(services.patch(daemon, id, { status: 'success' })).rejects.toThrow(/already ended/);
  });

  it('the deadline pauses while the server is offline, and restarts on reconnect', async () => {
    const { id } = await begin();
    await services.turn(daemon.serverId, 'offline');
    services.pass(60 * MINUTE);
    await services.checkDeadline(id);
    expect((await read(id)).status).toBe('running');
    await services.turn(daemon.serverId, 'online');
    services.pass(9 * MINUTE);
    await services.checkDeadline(id);
    expect((await read(id)).status).toBe('running');
    services.pass(MINUTE);
    await services.checkDeadline(id);
    expect((await read(id)).status).toBe('failed');
  });

  it('the deadline restarts even after an absence between two checks', async () => {
    const { id } = await begin();
    services.pass(9 * MINUTE);
    await services.storage.write((tx) => services.deployments.serverReturned(tx, daemon.serverId));
    services.pass(9 * MINUTE);
    await services.checkDeadline(id);
    expect((await read(id)).status).toBe('running');
  });

  it('the deadline does not run for queued deployments', async () => {
    const first = await begin();
    const waiting = await services.execute(owner, definitionId);
    services.pass(60 * MINUTE);
    await services.patch(daemon, first.id, { status: 'success' });
    await services.patch(daemon, waiting.id, { status: 'running' });
    await services.checkDeadline(waiting.id);
    expect((await read(waiting.id)).status).toBe('running');
  });

  it('deployments on a removed server fail', async () => {
    const { id } = await begin();
    await services.storage.write((tx) =>
      tx.db.updateTable('servers').set({ deleted_at: 1 }).where('id', '=', daemon.serverId).execute(),
    );
    await services.checkDeadline(id);
    expect(await read(id)).toMatchObject({ status: 'failed', reason: 'server_removed' });
  });
});
