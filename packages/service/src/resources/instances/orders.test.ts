import { describe, expect, it } from 'vitest';
import { onBothEngines } from '../../testing/engines.ts';
import { keyOf, openInstanceServices } from './testing/instance-services.ts';

const types = (events: readonly { type: string }[]) => events.map(({ type }) => type);

onBothEngines((engine) => {
  describe('start, stop, restart, release', () => {
    it('run as actions and change the instance when they complete', async () => {
      const { running, order, release, connect, actions, serverId, read, execution, events } =
        await openInstanceServices(engine);
      const { id } = await running();
      const line = await connect();
      const perform = async (ordered: Awaited<ReturnType<typeof order>>) => {
        expect(ordered.execution).toMatchObject({ status: 'pending', instance_id: id });
        await actions.dispatch(serverId, line);
        expect(line.requested.at(-1)).toBe(ordered.execution.id);
        await actions.started(serverId, ordered.execution.id);
        await actions.completed(serverId, { execution_id: ordered.execution.id, exit_code: 0 });
        expect((await execution(ordered.execution.id)).status).toBe('completed');
        return read(id);
      };
      expect(await perform(await order(id, 'hortus.stop'))).toMatchObject({ status: 'stopped', health: 'unknown' });
      expect(await perform(await order(id, 'hortus.start'))).toMatchObject({ status: 'running' });
      expect(await perform(await order(id, 'hortus.restart'))).toMatchObject({ status: 'running' });
      expect(await perform(await release(id))).toMatchObject({ status: 'released', container_id: null });
      expect(types(await events(id))).toEqual([
        'instance.started',
        'instance.stopped',
        'instance.started',
        'instance.started',
        'instance.stopped',
      ]);
      expect(line.sent[0]).toMatchObject({
        type: 'action_request',
        instance_id: id,
        action: { slug: 'hortus.stop', type: 'builtin', timeout: '300s' },
        params: {},
      });
      expect(line.sent.at(-1)).toMatchObject({ params: { remove_volumes: false } });
    });

    it('change nothing about a released instance', async () => {
      const { running, release, connect, actions, serverId, read, storage } = await openInstanceServices(engine);
      const { id } = await running();
      const drifted = { drift: '[{"field":"restart","declared":"always","actual":"no"}]', drifted_at: 1 };
      await storage.write((tx) => tx.db.updateTable('instances').set(drifted).where('id', '=', id).execute());
      expect(await read(id)).toMatchObject({ drift: [{ field: 'restart' }] });
      const line = await connect();
      const { execution } = await release(id);
      await actions.dispatch(serverId, line);
      await actions.completed(serverId, { execution_id: execution.id, exit_code: 0 });
      expect(await read(id)).toMatchObject({ status: 'released', drift: [], drifted_at: null });
    });

    it('keep the reported state when they fail, and later reports override them', async () => {
      const { running, order, connect, actions, serverId, read, report } = await openInstanceServices(engine);
      const { id, definitionId: definition_id } = await running();
      const line = await connect();
      const { execution } = await order(id, 'hortus.stop');
      await actions.dispatch(serverId, line);
      await actions.failed(serverId, { execution_id: execution.id, error: 'no such container' });
      expect((await read(id)).status).toBe('running');
      const second = await order(id, 'hortus.stop');
      await actions.dispatch(serverId, line);
      await actions.completed(serverId, { execution_id: second.execution.id });
      await report([{ definition_id, status: 'running', health: 'healthy' }]);
      expect((await read(id)).status).toBe('running');
    });

    it('run one after another, before later orders', async () => {
      const { running, order, execute, connect, actions, serverId } = await openInstanceServices(engine);
      const [{ id }, other] = [await running(), await running()];
      const line = await connect();
      const before = await execute(id);
      const stop = (await order(id, 'hortus.stop')).execution;
      const start = (await order(id, 'hortus.start')).execution;
      const after = await execute(id);
      const elsewhere = (await order(other.id, 'hortus.stop')).execution;
      const round = async () => {
        const known = line.requested.length;
        await actions.dispatch(serverId, line);
        return line.requested.slice(known);
      };
      // Running actions are not waited for: a stop is wanted now.
      expect(await round()).toEqual([before.id, stop.id, elsewhere.id]);
      expect(await round()).toEqual([]);
      await actions.failed(serverId, { execution_id: stop.id });
      expect(await round()).toEqual([start.id]);
      await actions.completed(serverId, { execution_id: start.id });
      expect(await round()).toEqual([after.id]);
    });

    it('are merged while an equal order is pending', async () => {
      const { running, order, release } = await openInstanceServices(engine);
      const { id } = await running();
      const first = await order(id, 'hortus.stop');
      expect((await order(id, 'hortus.stop')).execution.id).toBe(first.execution.id);
      const start = await order(id, 'hortus.start');
      const stop = await order(id, 'hortus.stop');
      expect(new Set([first, start, stop].map(({ execution }) => execution.id)).size).toBe(3);
      const kept = await release(id);
      expect((await release(id)).execution.id).toBe(kept.execution.id);
      const whole = { remove_volumes: true, confirm: ['uploads', 'dbdata'] };
      expect((await release(id, whole)).execution.id).not.toBe(kept.execution.id);
    });

    it('need a deployed, unreleased instance', async () => {
      const { pending, running, order, release, storage, instances, execution, events } =
        await openInstanceServices(engine);
      const waiting = await pending();
      const { id } = await running();
      await storage.write((tx) => instances.settled(tx, id, 'hortus.release', null));
      for (const slug of ['hortus.start', 'hortus.stop', 'hortus.restart'] as const) {
        await expect(order(waiting.id, slug)).rejects.toMatchObject({ details: { status: 'pending' } });
        await expect(order(id, slug)).rejects.toMatchObject({ details: { status: 'released' } });
      }
      expect((await release(waiting.id)).execution.status).toBe('pending');
      // The instance is already in that state.
      const again = await release(id);
      expect(again.execution.status).toBe('completed');
      expect((await execution(again.execution.id)).status).toBe('completed');
      expect(types(await events(id))).toEqual(['instance.started', 'instance.stopped']);
      await expect(release(id, { remove_volumes: true, confirm: ['uploads', 'dbdata'] })).rejects.toMatchObject({
        details: { status: 'released' },
      });
    });

    it('need an instance of the account', async () => {
      const { running, orders, storage } = await openInstanceServices(engine);
      const { id } = await running();
      const outsider = keyOf('acc_other');
      const stop = storage.write((tx) => orders.order(tx, outsider, id, 'hortus.stop'));
      await expect(stop).rejects.toMatchObject({ code: 'NOT_FOUND' });
    });
  });

  describe('release', () => {
    it('removes critical volumes only if all of them are named', async () => {
      const { running, release, connect, actions, serverId } = await openInstanceServices(engine);
      const { id } = await running();
      for (const confirm of [undefined, [], ['dbdata'], ['uploads', 'other']])
        await expect(release(id, { remove_volumes: true, ...(confirm && { confirm }) })).rejects.toMatchObject({
          code: 'VALIDATION_ERROR',
          message: expect.stringMatching(/^confirm: .*uploads/),
          details: { field: 'confirm', volumes: expect.arrayContaining(['dbdata', 'uploads']) },
        });
      const line = await connect();
      await release(id, { remove_volumes: true, confirm: ['uploads', 'dbdata'] });
      await actions.dispatch(serverId, line);
      expect(line.sent[0]).toMatchObject({ params: { remove_volumes: true, confirm: ['uploads', 'dbdata'] } });
    });

    it('fails the actions pending behind it', async () => {
      const { running, release, execute, connect, actions, serverId, execution } = await openInstanceServices(engine);
      const { id } = await running();
      const { execution: released } = await release(id);
      const waiting = await execute(id);
      const line = await connect();
      await actions.dispatch(serverId, line);
      await actions.completed(serverId, { execution_id: released.id });
      expect(await execution(waiting.id)).toMatchObject({ status: 'failed', outcome: 'known' });
      await actions.dispatch(serverId, line);
      expect(line.requested).toEqual([released.id]);
    });

    it('follows when a definition is archived, even if its server reconnects late, unless it is reactivated', async () => {
      const { running, storage, definitions, principal, connect, actions, serverId, execution, pass, start } =
        await openInstanceServices(engine);
      start();
      const [kept, gone] = [await running(), await running()];
      for (const { definitionId } of [kept, gone])
        await storage.write((tx) => definitions.archive(tx, principal, definitionId));
      await storage.write((tx) => definitions.activate(tx, principal, kept.definitionId));
      const history = async (id: string) => (await actions.history(principal, { instanceId: id }, {})).data;
      expect(await history(kept.id)).toMatchObject([{ slug: 'hortus.release', status: 'cancelled' }]);
      pass(3 * 24 * 3_600_000);
      const line = await connect();
      await actions.dispatch(serverId, line);
      const [order] = await history(gone.id);
      expect(line.requested).toEqual([order?.id]);
      expect(await execution(order?.id ?? '')).toMatchObject({ status: 'sent', params: { remove_volumes: false } });
    });
  });
});
