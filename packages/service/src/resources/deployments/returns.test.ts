import { beforeAll, expect, it } from 'vitest';
import type { Principal } from '../../identity/principal.ts';
import { newId } from '../../records/ids.ts';
import { onBothEngines } from '../../testing/engines.ts';
import { type DeploymentServices, openDeploymentServices } from './testing/deployment-services.ts';

/** A daemon rolled back on its own and reports it afterwards. */
onBothEngines((engine) => {
  let services: DeploymentServices;
  let owner: Principal;
  let daemon: Principal & { kind: 'server' };

  beforeAll(async () => {
    services = await openDeploymentServices(engine);
    owner = await services.account();
    daemon = await services.server(owner);
  });

  const deployed = async (definitionId: string) => {
    const { id } = await services.execute(owner, definitionId);
    await services.report(daemon, { deployment_id: id, status: 'success', gap_ms: 12 });
    return id;
  };
  /** Deploys revision 1, then 2. */
  const twice = async () => {
    const { id: definitionId } = await services.definition(owner, daemon.serverId);
    await deployed(definitionId);
    await services.revise(owner, definitionId, 'Sick');
    return { definitionId, sick: await deployed(definitionId) };
  };
  const returned = (rollback_of: string, overrides: object = {}) => ({
    deployment_id: newId('deployment'),
    status: 'success' as const,
    reason: 'unhealthy',
    rollback_of,
    revision: 1,
    logs: [{ at: 1, level: 'warn' as const, message: 'main turned unhealthy' }],
    ...overrides,
  });

  it('a rollback by the daemon is recorded with its events, and its revision becomes current', async () => {
    const { definitionId, sick } = await twice();
    const report = returned(sick, { gap_ms: 0 });
    const recorded = await services.report(daemon, report);
    expect(recorded).toMatchObject({
      id: report.deployment_id,
      kind: 'rollback',
      rollback_of: sick,
      revision: 1,
      status: 'success',
      reason: 'unhealthy',
      gap_ms: 0,
      created_by: daemon.serverId,
    });
    const types = (await services.eventsOf(report.deployment_id)).map(({ type }) => type);
    expect(types).toEqual(['deployment.started', 'deployment.success']);
    expect(await services.definitions.read(owner, definitionId)).toMatchObject({ current_revision: 1 });
    expect(services.instances.facts.get(recorded.instance_id ?? '')).toMatchObject({ revision: 1 });
    expect((await services.deployments.read(owner, report.deployment_id, 0)).logs).toHaveLength(1);
    // Reported again after a lost response.
    expect(await services.report(daemon, report)).toEqual(recorded);
    expect(await services.eventsOf(report.deployment_id)).toHaveLength(2);
  });

  it('a rollback by the leading member of a cluster is that of the daemon too', async () => {
    const { sick } = await twice();
    const report = returned(sick);
    expect(await services.report({ ...daemon, memberId: newId('clusterMember') }, report)).toMatchObject({
      created_by: daemon.serverId,
    });
    expect(await services.deployments.undoingOf(services.storage.reader, owner, sick)).toEqual({
      id: report.deployment_id,
      byDaemon: true,
    });
  });

  it('a rollback prevented by an irreversible job is recorded as failed and changes nothing', async () => {
    const { definitionId, sick } = await twice();
    const recorded = await services.report(
      daemon,
      returned(sick, { status: 'failed', reason: 'irreversible', error: 'x' }),
    );
    expect(recorded).toMatchObject({ status: 'failed', kind: 'rollback', reason: 'irreversible' });
    expect(await services.definitions.read(owner, definitionId)).toMatchObject({ current_revision: 2 });
  });

  it('a rollback by the daemon does not override a later revision or deployment', async () => {
    const { definitionId, sick } = await twice();
    await services.revise(owner, definitionId, 'Better');
    await services.report(daemon, returned(sick));
    expect(await services.definitions.read(owner, definitionId)).toMatchObject({ current_revision: 3 });
    const other = await twice();
    await services.revise(owner, other.definitionId, 'Better');
    const newest = await services.deployments.read(owner, await deployed(other.definitionId), 0);
    await services.report(daemon, returned(other.sick));
    expect(services.instances.facts.get(newest.instance_id ?? '')).toMatchObject({ revision: 3 });
  });

  it('a rollback by the daemon is accepted while another deployment is running or pending', async () => {
    const { definitionId, sick } = await twice();
    const { id } = await services.execute(owner, definitionId);
    await services.patch(daemon, id, { status: 'running' });
    expect(await services.report(daemon, returned(sick))).toMatchObject({ status: 'success' });
    expect(await services.report(daemon, { deployment_id: id, status: 'success' })).toMatchObject({
      status: 'success',
    });
  });

  it('an invalid report of a rollback is refused with the field named', async () => {
    const { sick } = await twice();
    const other = await services.server(owner);
    await expect(services.report(other, returned(sick))).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(services.report(daemon, returned(sick, { revision: 99 }))).rejects.toMatchObject({
      details: { field: 'revision' },
    });
    await expect(services.report(daemon, returned(sick, { revision: null }))).rejects.toMatchObject({
      details: { field: 'revision' },
    });
    await expect(services.report(daemon, returned(sick, { deployment_id: 'mine' }))).rejects.toMatchObject({
      details: { field: 'deployment_id' },
    });
    await expect(services.report(daemon, returned(newId('deployment')))).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});
