import { describe, expect, it } from 'vitest';
import { onBothEngines } from '../../testing/engines.ts';
import { FakeLine, openInstanceServices } from '../instances/testing/instance-services.ts';

onBothEngines((engine) => {
  it('is the work of the newest connection only', async () => {
    const { running, execute, connect, actions, serverId } = await openInstanceServices(engine);
    const { id } = await execute((await running()).id);
    const [old, line] = [await connect(), await connect()];
    await actions.dispatch(serverId, old);
    expect(old.sent).toEqual([]);
    await actions.dispatch(serverId, line);
    await actions.dispatch(serverId, line);
    expect(line.requested).toEqual([id]);
  });

  it('sends in the order of the orders, each once, however many ask at the same time', async () => {
    const { running, execute, connect, actions, serverId } = await openInstanceServices(engine);
    const { id } = await running();
    const ordered: string[] = [];
    for (let n = 0; n < 12; n++) ordered.push((await execute(id)).id);
    const line = await connect();
    await Promise.all(Array.from({ length: 4 }, () => actions.dispatch(serverId, line)));
    expect(line.requested.sort()).toEqual(ordered);
  });

  it('leaves what a line did not take to the next one, whoever that is', async () => {
    const { running, execute, connect, actions, serverId, execution } = await openInstanceServices(engine);
    const { id } = await execute((await running()).id);
    const shut = await connect([]);
    shut.open = false;
    await actions.dispatch(serverId, shut);
    expect((await execution(id)).status).toBe('sent');
    const line = await connect([]);
    await actions.dispatch(serverId, line);
    expect(line.requested).toEqual([id]);
  });

  it('can be cancelled at once if no line took it', async () => {
    const { running, execute, connect, actions, serverId, cancel } = await openInstanceServices(engine);
    const { id } = await execute((await running()).id);
    const shut = await connect();
    shut.open = false;
    await actions.dispatch(serverId, shut);
    expect((await cancel(id)).status).toBe('cancelled');
  });

  describe('on a new connection', () => {
    it('is done again for a daemon with a journal, which knows whether it began', async () => {
      const { running, execute, connect, actions, serverId, execution } = await openInstanceServices(engine);
      const { id: instance } = await running();
      const [waiting, under] = [await execute(instance), await execute(instance)];
      await actions.dispatch(serverId, await connect());
      await actions.started(serverId, under.id);
      const line = await connect();
      await actions.dispatch(serverId, line);
      await actions.dispatch(serverId, line);
      expect(line.requested).toEqual([waiting.id, under.id]);
      expect((await execution(under.id)).status).toBe('running');
    });

    it('is never done again for one without: it is given up soon, its result still wins', async () => {
      const { running, execute, connect, actions, serverId, execution, pass, start } =
        await openInstanceServices(engine);
      start();
      const { id: instance } = await running();
      const [lost, told] = [await execute(instance), await execute(instance)];
      await actions.dispatch(serverId, await connect([]));
      const line = await connect([]);
      await actions.dispatch(serverId, line);
      expect(line.sent).toEqual([]);
      await actions.completed(serverId, { execution_id: told.id, exit_code: 0 });
      pass(59_000);
      expect((await execution(lost.id)).status).toBe('sent');
      pass(1_000);
      await expect.poll(async () => execution(lost.id)).toMatchObject({ status: 'failed', outcome: 'unknown' });
      expect((await execution(told.id)).status).toBe('completed');
    });

    it('is never done again for one with another journal, which knows nothing of it', async () => {
      const { running, execute, connect, actions, serverId, execution } = await openInstanceServices(engine);
      const { id: instance } = await running();
      const [waiting, under] = [await execute(instance), await execute(instance)];
      const connectWith = async (journal: string) => Object.assign(await connect(), { journal });
      await actions.dispatch(serverId, await connectWith('first'));
      await actions.started(serverId, under.id);
      const other = await connectWith('second');
      await actions.dispatch(serverId, other);
      expect(other.requested).toEqual([]);
      await actions.completed(serverId, { execution_id: under.id, exit_code: 0 });
      expect((await execution(under.id)).status).toBe('completed');
      const back = await connectWith('first');
      await actions.dispatch(serverId, back);
      expect(back.requested).toEqual([waiting.id]);
    });

    it('is not forgotten to have been done once because a line broke the second time', async () => {
      const { running, execute, connect, actions, serverId } = await openInstanceServices(engine);
      await execute((await running()).id);
      await actions.dispatch(serverId, await connect());
      const shut = await connect();
      shut.open = false;
      await actions.dispatch(serverId, shut);
      const line = await connect([]);
      await actions.dispatch(serverId, line);
      expect(line.sent).toEqual([]);
    });

    it('begins nothing that was ordered more than ten minutes ago', async () => {
      const { running, execute, connect, disconnect, actions, serverId, pass } = await openInstanceServices(engine);
      await execute((await running()).id);
      await actions.dispatch(serverId, await connect());
      await disconnect();
      pass(11 * 60_000);
      const line = await connect();
      await actions.dispatch(serverId, line);
      expect(line.sent).toEqual([]);
    });
  });

  it('gives nothing to a line of a server that is not there', async () => {
    const { actions } = await openInstanceServices(engine);
    const line = new FakeLine(1, []);
    await actions.dispatch('srv_nobody', line);
    expect(line.sent).toEqual([]);
  });
});
