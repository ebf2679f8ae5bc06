import { describe, expect, it } from 'vitest';
import { onBothEngines } from '../../testing/engines.ts';
import { type InstanceServices, openInstanceServices } from '../instances/testing/instance-services.ts';
import { GRACE_MS } from './deadlines.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** Timeout of db-dump. */
const TIMEOUT = 300_000;

async function ordered({ running, execute, start }: InstanceServices) {
  start();
  return (await execute((await running()).id)).id;
}

onBothEngines((engine) => {
  /** Time passes and the clockwork has done what is due; what is not due stays, whatever else happens. */
  const settled = (services: InstanceServices, id: string) => ({
    becomes: (status: string) => expect.poll(async () => (await services.execution(id)).status).toBe(status),
    async stays(status: string) {
      await expect
        .poll(async () =>
          services.storage.reader.db.selectFrom('jobs').selectAll().where('run_at', '<=', services.clock.now).execute(),
        )
        .toEqual([]);
      expect((await services.execution(id)).status).toBe(status);
    },
  });

  it('an execution that did not start within ten minutes expires, even if the server is offline', async () => {
    const services = await openInstanceServices(engine);
    const id = await ordered(services);
    await services.disconnect();
    const { becomes, stays } = settled(services, id);
    services.pass(10 * MINUTE - 1);
    await stays('pending');
    services.pass(1);
    await becomes('timeout');
    expect(await services.execution(id)).toMatchObject({ outcome: 'known', finished_at: expect.any(String) });
    expect((await services.events(id)).map(({ type }) => type)).toEqual(['action.failed']);
    await services.actions.completed(services.serverId, { execution_id: id });
    await expect(services.put(id, { status: 'completed' })).rejects.toMatchObject({ details: { status: 'timeout' } });
  });

  it('a sent execution without a report expires after ten minutes', async () => {
    const services = await openInstanceServices(engine);
    const id = await ordered(services);
    await services.actions.dispatch(services.serverId, await services.connect());
    services.pass(10 * MINUTE);
    await settled(services, id).becomes('timeout');
    expect((await services.execution(id)).outcome).toBe('unknown');
  });

  it('the timeout counts from the start, with a grace period for the daemon', async () => {
    const services = await openInstanceServices(engine);
    const id = await ordered(services);
    await services.actions.dispatch(services.serverId, await services.connect());
    services.pass(9 * MINUTE);
    await services.actions.started(services.serverId, id);
    const { becomes, stays } = settled(services, id);
    services.pass(TIMEOUT + GRACE_MS - 1);
    await stays('running');
    services.pass(1);
    await becomes('timeout');
  });

  describe('the deadline of an execution on an offline server', () => {
    async function underWay() {
      const services = await openInstanceServices(engine);
      const id = await ordered(services);
      await services.actions.dispatch(services.serverId, await services.connect());
      await services.actions.started(services.serverId, id);
      services.pass(MINUTE);
      await services.disconnect();
      return { ...services, id, ...settled(services, id) };
    }

    it('is paused, and a result reported on reconnect wins', async () => {
      const { pass, stays, actions, serverId, id, connect, execution } = await underWay();
      pass(23 * HOUR);
      await stays('running');
      await actions.dispatch(serverId, await connect());
      await actions.completed(serverId, { execution_id: id, exit_code: 0, output: 'yesterday' });
      expect(await execution(id)).toMatchObject({ status: 'completed', output: 'yesterday' });
    });

    it('continues on reconnect', async () => {
      const { pass, stays, becomes, actions, serverId, connect } = await underWay();
      pass(5 * HOUR);
      await stays('running');
      await actions.dispatch(serverId, await connect());
      pass(TIMEOUT + GRACE_MS - MINUTE - 1);
      await stays('running');
      pass(1);
      await becomes('timeout');
    });

    it('expires after a day', async () => {
      const { pass, stays, becomes, id, execution } = await underWay();
      pass(24 * HOUR - 1);
      await stays('running');
      pass(1);
      await becomes('timeout');
      expect((await execution(id)).outcome).toBe('unknown');
    });
  });

  it('an execution sent before the server went offline does not expire before the daemon could report', async () => {
    const services = await openInstanceServices(engine);
    const id = await ordered(services);
    await services.actions.dispatch(services.serverId, await services.connect());
    await services.disconnect();
    services.pass(HOUR);
    const { becomes, stays } = settled(services, id);
    await stays('sent');
    await services.actions.dispatch(services.serverId, await services.connect());
    services.pass(59_000);
    await stays('sent');
    services.pass(1_000);
    await becomes('timeout');
  });
});
