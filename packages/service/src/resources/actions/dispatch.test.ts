import { useTracer } from '@hortus/tracing/span';
import { describe, expect, it } from 'vitest';
import { OutcomeUnknown } from '../../storage/storage.ts';
import { onDifferingEngines } from '../../testing/engines.ts';
import { type LosingStorage, losingStorage } from '../../testing/lost-commits.ts';
import { FakeLine, openInstanceServices } from '../instances/testing/instance-services.ts';
import { MARKED_TOPIC } from './dispatch.ts';

onDifferingEngines('concurrent dispatches and lost commits', (engine) => {
  it('only the newest connection dispatches', async () => {
    const { running, execute, connect, actions, serverId } = await openInstanceServices(engine);
    const { id } = await execute((await running()).id);
    const [old, line] = [await connect(), await connect()];
    await actions.dispatch(serverId, old);
    expect(old.sent).toEqual([]);
    await actions.dispatch(serverId, line);
    await actions.dispatch(serverId, line);
    expect(line.requested).toEqual([id]);
  });

  it('an execution names the trace of its order only to a daemon that understands traces', async () => {
    const { running, execute, connect, actions, serverId } = await openInstanceServices(engine);
    const { id } = await running();
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    const span = { set() {}, fail() {}, end() {} };
    useTracer({ run: (_name, _options, work) => work(span), current: () => traceparent, bind: (work) => work });
    await execute(id).finally(() => useTracer(undefined));
    const [plain, tracing] = [['journal'], ['journal', 'trace']];
    for (const capabilities of [plain, tracing]) {
      const line = await connect(capabilities);
      await actions.dispatch(serverId, line);
      expect(line.sent).toHaveLength(1);
      expect((line.sent[0] as { traceparent?: string }).traceparent).toBe(
        capabilities === tracing ? traceparent : undefined,
      );
    }
  });

  it('executions are sent in the order of creation, each once, even by concurrent dispatches', async () => {
    const { running, execute, connect, actions, serverId } = await openInstanceServices(engine);
    const { id } = await running();
    const ordered: string[] = [];
    for (let n = 0; n < 12; n++) ordered.push((await execute(id)).id);
    const line = await connect();
    await Promise.all(Array.from({ length: 4 }, () => actions.dispatch(serverId, line)));
    expect(line.requested.sort()).toEqual(ordered);
  });

  it('an execution that a connection did not accept is sent to the next one', async () => {
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

  it('an execution that no connection accepted is cancelled immediately', async () => {
    const { running, execute, connect, actions, serverId, cancel } = await openInstanceServices(engine);
    const { id } = await execute((await running()).id);
    const shut = await connect();
    shut.open = false;
    await actions.dispatch(serverId, shut);
    expect((await cancel(id)).status).toBe('cancelled');
  });

  it('a daemon whose orders were marked as sent in a lost commit connects again and gets them once', async () => {
    const database = await engine.testDatabase();
    let losing: LosingStorage | undefined;
    const { running, execute, connect, actions, serverId } = await openInstanceServices(engine, {
      ...database,
      async open(hooks) {
        losing = losingStorage(await database.open(hooks));
        return losing.storage;
      },
    });
    const { id } = await execute((await running()).id);
    const first = await connect();
    losing?.loseNext();
    await expect(actions.dispatch(serverId, first)).rejects.toThrow(OutcomeUnknown);
    expect([first.open, first.sent]).toEqual([false, []]);
    const second = await connect();
    await actions.dispatch(serverId, second);
    await actions.dispatch(serverId, second);
    expect([second.open, second.requested]).toEqual([true, [id]]);
  });

  describe('dispatch on a new connection', () => {
    it('sends again to a daemon with a journal, which knows whether it started', async () => {
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

    it('never sends again to a daemon without a journal: gives up soon, but a result still wins', async () => {
      const { running, execute, connect, actions, serverId, execution, pass, start } =
        await openInstanceServices(engine);
      start();
      const { id: instance } = await running();
      const [lost, reported] = [await execute(instance), await execute(instance)];
      await actions.dispatch(serverId, await connect([]));
      const line = await connect([]);
      await actions.dispatch(serverId, line);
      expect(line.sent).toEqual([]);
      await actions.completed(serverId, { execution_id: reported.id, exit_code: 0 });
      pass(59_000);
      expect((await execution(lost.id)).status).toBe('sent');
      pass(1_000);
      await expect.poll(async () => execution(lost.id)).toMatchObject({ status: 'failed', outcome: 'unknown' });
      expect((await execution(reported.id)).status).toBe('completed');
    });

    it('never sends again to a daemon with another journal', async () => {
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

    it('remembers the first delivery when the connection breaks during the second', async () => {
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

    it('starts nothing that was ordered more than ten minutes ago', async () => {
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

  describe('an order for a daemon that is connected to this process', () => {
    /** Holds a connection, and remembers which executions are announced as marked. */
    const holding = async (capabilities?: readonly string[]) => {
      const services = await openInstanceServices(engine);
      const { connect, held, serverId, bus } = services;
      const marked: string[] = [];
      bus.subscribe(MARKED_TOPIC, (id) => void marked.push(id));
      const line = await connect(capabilities);
      held.set(serverId, line);
      return { ...services, line, marked };
    };

    it('needs one transaction on SQLite, and is sent once', async () => {
      const { running, execute, actions, serverId, line, marked, execution } = await holding();
      const { id } = await execute((await running()).id);
      expect(marked).toEqual(engine.name === 'sqlite' ? [id] : []);
      for (const text of marked) await actions.sendMarked(text);
      await actions.dispatch(serverId, line);
      expect(line.requested).toEqual([id]);
      expect((await execution(id)).status).toBe('sent');
    });

    it('waits for a built-in action of the instance', async () => {
      const { running, execute, order, actions, serverId, line, marked } = await holding();
      const { id: instance } = await running();
      await order(instance, 'hortus.restart');
      await execute(instance);
      expect(marked).toEqual([]);
      await actions.dispatch(serverId, line);
      expect(line.requested).toHaveLength(1);
    });

    it('is left to the newest connection', async () => {
      const { running, execute, connect, actions, serverId, line, marked } = await holding();
      const newest = await connect();
      const { id } = await execute((await running()).id);
      expect(marked).toEqual([]);
      await actions.dispatch(serverId, newest);
      expect([line.requested, newest.requested]).toEqual([[], [id]]);
    });

    it.each(['closed', 'replaced', 'gone'] as const)(
      'is sent to the next connection, also without a journal, if this one is %s before it was sent',
      async (end) => {
        const { running, execute, connect, actions, serverId, held, line, marked } = await holding([]);
        const { id } = await execute((await running()).id);
        if (end === 'closed') line.open = false;
        else held.delete(serverId);
        const next = await connect([]);
        if (end === 'replaced') held.set(serverId, next);
        for (const text of marked) await actions.sendMarked(text);
        await actions.dispatch(serverId, next);
        expect([line.requested, next.requested]).toEqual([[], [id]]);
      },
    );
  });

  it('nothing is sent to the connection of an unknown server', async () => {
    const { actions } = await openInstanceServices(engine);
    const line = new FakeLine(1, []);
    await actions.dispatch('srv_nobody', line);
    expect(line.sent).toEqual([]);
  });
});
