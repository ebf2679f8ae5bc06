import { describe, expect, it } from 'vitest';
import { onBothEngines } from '../../testing/engines.ts';
import { type Garden, plantGarden } from '../instances/testing/garden.ts';
import { GRACE_MS } from './deadlines.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** Of db-dump. */
const TIMEOUT = 300_000;

async function ordered({ running, execute, start }: Garden) {
  start();
  return (await execute((await running()).id)).id;
}

onBothEngines((engine) => {
  /** Time passes and the clockwork has done what is due; what is not due stays, whatever else happens. */
  const settled = (garden: Garden, id: string) => ({
    becomes: (status: string) => expect.poll(async () => (await garden.execution(id)).status).toBe(status),
    async stays(status: string) {
      await expect
        .poll(async () =>
          garden.storage.reader.db.selectFrom('jobs').selectAll().where('run_at', '<=', garden.clock.now).execute(),
        )
        .toEqual([]);
      expect((await garden.execution(id)).status).toBe(status);
    },
  });

  it('ends after ten minutes what nobody began, also while the server is away', async () => {
    const garden = await plantGarden(engine);
    const id = await ordered(garden);
    await garden.disconnect();
    const { becomes, stays } = settled(garden, id);
    garden.pass(10 * MINUTE - 1);
    await stays('pending');
    garden.pass(1);
    await becomes('timeout');
    expect(await garden.execution(id)).toMatchObject({ outcome: 'known', finished_at: expect.any(String) });
    expect((await garden.events(id)).map(({ type }) => type)).toEqual(['action.failed']);
    await garden.actions.completed(garden.serverId, { execution_id: id });
    await expect(garden.put(id, { status: 'completed' })).rejects.toMatchObject({ details: { status: 'timeout' } });
  });

  it('ends after ten minutes what was sent and of which nothing was heard', async () => {
    const garden = await plantGarden(engine);
    const id = await ordered(garden);
    await garden.actions.dispatch(garden.serverId, await garden.connect());
    garden.pass(10 * MINUTE);
    await settled(garden, id).becomes('timeout');
    expect((await garden.execution(id)).outcome).toBe('unknown');
  });

  it('counts the timeout from the beginning, and gives the daemon a moment to keep it itself', async () => {
    const garden = await plantGarden(engine);
    const id = await ordered(garden);
    await garden.actions.dispatch(garden.serverId, await garden.connect());
    garden.pass(9 * MINUTE);
    await garden.actions.started(garden.serverId, id);
    const { becomes, stays } = settled(garden, id);
    garden.pass(TIMEOUT + GRACE_MS - 1);
    await stays('running');
    garden.pass(1);
    await becomes('timeout');
  });

  describe('while the server is away', () => {
    async function underWay() {
      const garden = await plantGarden(engine);
      const id = await ordered(garden);
      await garden.actions.dispatch(garden.serverId, await garden.connect());
      await garden.actions.started(garden.serverId, id);
      garden.pass(MINUTE);
      await garden.disconnect();
      return { ...garden, id, ...settled(garden, id) };
    }

    it('stands still, and the result that the daemon brings along wins', async () => {
      const { pass, stays, actions, serverId, id, connect, execution } = await underWay();
      pass(23 * HOUR);
      await stays('running');
      await actions.dispatch(serverId, await connect());
      await actions.completed(serverId, { execution_id: id, exit_code: 0, output: 'yesterday' });
      expect(await execution(id)).toMatchObject({ status: 'completed', output: 'yesterday' });
    });

    it('goes on where it stood when the server is back', async () => {
      const { pass, stays, becomes, actions, serverId, connect } = await underWay();
      pass(5 * HOUR);
      await stays('running');
      await actions.dispatch(serverId, await connect());
      pass(TIMEOUT + GRACE_MS - MINUTE - 1);
      await stays('running');
      pass(1);
      await becomes('timeout');
    });

    it('ends after a day', async () => {
      const { pass, stays, becomes, id, execution } = await underWay();
      pass(24 * HOUR - 1);
      await stays('running');
      pass(1);
      await becomes('timeout');
      expect((await execution(id)).outcome).toBe('unknown');
    });
  });

  it('does not give up what was sent before the server went away, until it had its say', async () => {
    const garden = await plantGarden(engine);
    const id = await ordered(garden);
    await garden.actions.dispatch(garden.serverId, await garden.connect());
    await garden.disconnect();
    garden.pass(HOUR);
    const { becomes, stays } = settled(garden, id);
    await stays('sent');
    await garden.actions.dispatch(garden.serverId, await garden.connect());
    garden.pass(59_000);
    await stays('sent');
    garden.pass(1_000);
    await becomes('timeout');
  });
});
