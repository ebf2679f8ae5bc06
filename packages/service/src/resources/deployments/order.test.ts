import { beforeAll, describe, expect, it } from 'vitest';
import type { Principal } from '../../identity/principal.ts';
import { newId } from '../../records/ids.ts';
import { onBothEngines } from '../../testing/engines.ts';
import { type DeploymentServices, openDeploymentServices } from './testing/deployment-services.ts';

onBothEngines((engine) => {
  let services: DeploymentServices;
  let owner: Principal;
  let daemon: Principal & { kind: 'server' };

  beforeAll(async () => {
    services = await openDeploymentServices(engine);
    owner = await services.account();
    daemon = await services.server(owner);
  });

  const order = (body: object, by = owner) =>
    services.storage.write((tx) => services.deployments.execute(tx, by, body));
  const refused = (field: string, reason: string) => ({ code: 'VALIDATION_ERROR', details: { field, reason } });

  describe('an order to deploy', () => {
    it('pins the current revision and waits', async () => {
      const { id } = await services.definition(owner, daemon.serverId);
      const { current_revision, spec_hash, template_id } = await services.revise(owner, id, 'Notes');
      const deployment = await services.execute(owner, id);
      await services.revise(owner, id, 'Other');
      expect(await services.deployments.read(owner, deployment.id, 0)).toEqual({
        ...deployment,
        logs: [],
        logs_truncated: false,
        last_lines: [],
      });
      expect(deployment).toMatchObject({
        definition_id: id,
        server_id: daemon.serverId,
        status: 'pending',
        kind: 'deploy',
        rollback_of: null,
        revision: current_revision,
        spec_hash,
        template_id,
        instance_id: null,
        cancelling: false,
        started_at: null,
      });
      expect(services.woken.at(-1)).toBe(daemon.serverId);
    });

    it('refuses a missing, unknown, foreign or archived definition by field', async () => {
      const outsider = await services.account();
      const { id } = await services.definition(owner, daemon.serverId);
      await expect(order({})).rejects.toMatchObject(refused('definition_id', 'invalid'));
      await expect(order({ definition_id: newId('definition') })).rejects.toMatchObject(
        refused('definition_id', 'unknown'),
      );
      await expect(order({ definition_id: id }, outsider)).rejects.toMatchObject(refused('definition_id', 'unknown'));
      await services.storage.write((tx) => services.definitions.archive(tx, owner, id));
      await expect(order({ definition_id: id })).rejects.toMatchObject(refused('definition_id', 'archived'));
    });

    it('accepts only the server of the definition', async () => {
      const { id } = await services.definition(owner, daemon.serverId);
      expect(await order({ definition_id: id, server_id: daemon.serverId })).toMatchObject({ status: 'pending' });
      const other = await services.server(owner);
      await expect(order({ definition_id: id, server_id: other.serverId })).rejects.toMatchObject(
        refused('server_id', 'other_server'),
      );
    });

    it.each(['disabled', 'draining'] as const)('is refused by a server that is %s', async (status) => {
      const there = await services.server(owner);
      const { id } = await services.definition(owner, there.serverId);
      await services.storage.write((tx) =>
        tx.db
          .updateTable('servers')
          .set({ status: status as never })
          .where('id', '=', there.serverId)
          .execute(),
      );
      await expect(order({ definition_id: id })).rejects.toMatchObject(refused('server_id', status));
    });

    it.each(['pending', 'offline'])('waits for a server that is %s', async (status) => {
      const there = await services.server(owner, status);
      const { id } = await services.definition(owner, there.serverId);
      expect(await order({ definition_id: id })).toMatchObject({ status: 'pending' });
    });

    it('is refused when the server has been removed', async () => {
      const there = await services.server(owner);
      const { id } = await services.definition(owner, there.serverId);
      await services.storage.write((tx) =>
        tx.db.updateTable('servers').set({ deleted_at: 1 }).where('id', '=', there.serverId).execute(),
      );
      await expect(order({ definition_id: id })).rejects.toMatchObject(refused('server_id', 'removed'));
    });
  });

  describe('the lists of deployments', () => {
    it('show newest first and filter', async () => {
      const me = await services.account();
      const [east, west] = [await services.server(me), await services.server(me)];
      const a = await services.definition(me, east.serverId);
      const b = await services.definition(me, west.serverId);
      const first = await services.execute(me, a.id);
      const second = await services.execute(me, b.id);
      await services.patch(west, second.id, { status: 'running' });
      const ids = async (filter: object) =>
        (await services.deployments.list(me, filter, {})).data.map(({ id }: { id: string }) => id);
      expect(await ids({})).toEqual([second.id, first.id]);
      expect(await ids({ definitionId: a.id })).toEqual([first.id]);
      expect(await ids({ serverId: west.serverId })).toEqual([second.id]);
      expect(await ids({ status: 'running' })).toEqual([second.id]);
      expect((await services.deployments.list(owner, { definitionId: a.id }, {})).data).toEqual([]);
    });

    it('offer a daemon the first of each queue and what it has claimed; users see all pending ones', async () => {
      const me = await services.account();
      const [own, other] = [await services.server(me), await services.server(me)];
      const a = await services.definition(me, own.serverId);
      const b = await services.definition(me, own.serverId);
      const elsewhere = await services.definition(me, other.serverId);
      const [a1, b1, a2] = [
        await services.execute(me, a.id),
        await services.execute(me, b.id),
        await services.execute(me, a.id),
      ];
      const e1 = await services.execute(me, elsewhere.id);
      const offered = async (by: Principal = own, serverId?: string) =>
        (await services.deployments.pending(by, serverId, {})).data.map(({ id }) => id);
      expect(await offered()).toEqual([a1.id, b1.id]);
      expect(services.seenServers.at(-1)).toBe(own.serverId);
      await services.patch(own, a1.id, { status: 'running' });
      expect(await offered()).toEqual([a1.id, b1.id]);
      await services.patch(own, a1.id, { status: 'success' });
      expect(await offered()).toEqual([b1.id, a2.id]);
      expect(await offered(me)).toEqual([b1.id, a2.id, e1.id]);
      expect(await offered(me, other.serverId)).toEqual([e1.id]);
      expect(await offered(own, own.serverId)).toEqual([b1.id, a2.id]);
      await expect(offered(own, other.serverId)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    });
  });

  it('a daemon is woken for work to start or cancel, not for what it is doing', async () => {
    const there = await services.server(owner);
    const { id } = await services.definition(owner, there.serverId);
    const hasWork = () => services.deployments.hasWorkFor(services.storage.reader, there.serverId);
    expect(await hasWork()).toBe(false);
    const first = await services.execute(owner, id);
    expect(await hasWork()).toBe(true);
    await services.patch(there, first.id, { status: 'running' });
    const second = await services.execute(owner, id);
    expect(await hasWork()).toBe(false);
    await services.cancel(owner, first.id);
    expect(await hasWork()).toBe(true);
    await services.patch(there, first.id, { status: 'failed' });
    expect(await hasWork()).toBe(true);
    await services.cancel(owner, second.id);
    expect(await hasWork()).toBe(false);
  });

  describe('a rollback', () => {
    const deploy = async (id: string, status: 'success' | 'failed' = 'success') =>
      services.patch(daemon, (await services.execute(owner, id)).id, { status });

    it('returns to what ran before, and makes that revision current on success', async () => {
      const { id } = await services.definition(owner, daemon.serverId);
      const first = await deploy(id);
      await services.revise(owner, id, 'Two');
      const second = await deploy(id);
      const again = await deploy(id);
      for (const undone of [second, again]) {
        const back = await services.rollback(owner, undone.id);
        expect(back).toMatchObject({ kind: 'rollback', rollback_of: undone.id, revision: 1, status: 'pending' });
        await services.cancel(owner, back.id);
      }
      const back = await services.rollback(owner, second.id);
      expect((await services.definitions.read(owner, id)).current_revision).toBe(2);
      await services.patch(daemon, back.id, { status: 'success' });
      expect(await services.definitions.read(owner, id)).toMatchObject({ current_revision: 1, status: 'active' });
      expect((await services.eventsOf(id)).at(-1)).toMatchObject({
        type: 'definition.updated',
        actor: daemon.serverId,
      });
      expect((await services.deployments.read(owner, first.id, 0)).status).toBe('success');
    });

    it('of a failed deployment returns to the last success, whatever its revision', async () => {
      const { id } = await services.definition(owner, daemon.serverId);
      await deploy(id);
      await services.revise(owner, id, 'Two');
      await deploy(id);
      const failed = await deploy(id, 'failed');
      expect(await services.rollback(owner, failed.id)).toMatchObject({ revision: 2 });
    });

    it('needs an earlier success', async () => {
      const { id } = await services.definition(owner, daemon.serverId);
      await deploy(id, 'failed');
      const only = await deploy(id);
      await expect(services.rollback(owner, only.id)).rejects.toMatchObject(refused('id', 'nothing_before'));
      const outsider = await services.account();
      await expect(services.rollback(outsider, only.id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    });

    it('is refused if a password of that revision has been removed since', async () => {
      const { id } = await services.definition(owner, daemon.serverId, { SMTP_PASSWORD: 'hunter2hunter2' });
      await deploy(id);
      await services.storage.write((tx) =>
        services.definitions.update(tx, owner, id, { inputs: { SMTP_PASSWORD: null } }),
      );
      const second = await deploy(id);
      await expect(services.rollback(owner, second.id)).rejects.toMatchObject(refused('id', 'secret_removed'));
    });
  });

  describe('archiving a definition', () => {
    const releases = (id: string) => services.instances.released.filter((released) => released === id).length;

    it('cancels pending deployments, stops running ones and removes the containers', async () => {
      const { id } = await services.definition(owner, daemon.serverId);
      const [runs, waits] = [await services.execute(owner, id), await services.execute(owner, id)];
      await services.patch(daemon, runs.id, { status: 'running' });
      await services.storage.write((tx) => services.definitions.archive(tx, owner, id));
      expect(releases(id)).toBe(1);
      expect(await services.deployments.read(owner, runs.id, 0)).toMatchObject({ status: 'running', cancelling: true });
      expect(await services.deployments.read(owner, waits.id, 0)).toMatchObject({
        status: 'failed',
        reason: 'cancelled',
      });
      // Too late to cancel: its containers are released again, and the success counts after reactivation.
      await services.patch(daemon, runs.id, { status: 'success' });
      expect(releases(id)).toBe(2);
      expect((await services.definitions.read(owner, id)).status).toBe('archived');
      const activated = await services.storage.write((tx) => services.definitions.activate(tx, owner, id));
      expect(activated.status).toBe('active');
      expect(services.instances.kept).toEqual([id]);
    });

    it('keeps the containers on request, and lets running deployments finish', async () => {
      const { id } = await services.definition(owner, daemon.serverId);
      const runs = await services.execute(owner, id);
      await services.patch(daemon, runs.id, { status: 'running' });
      await services.storage.write((tx) => services.definitions.archive(tx, owner, id, 'keep'));
      expect(await services.patch(daemon, runs.id, { status: 'success' })).toMatchObject({ status: 'success' });
      expect(releases(id)).toBe(0);
    });
  });
});
