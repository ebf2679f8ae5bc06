import { until } from '@hortus/testkit/until';
import { beforeEach, expect, it } from 'vitest';
import type { Principal } from '../../identity/principal.ts';
import { onBothEngines } from '../../testing/engines.ts';
import { type Garden, plantGarden } from './testing/garden.ts';

const MINUTE = 60_000;

onBothEngines((engine) => {
  let garden: Garden;
  let owner: Principal;
  let daemon: Principal & { kind: 'server' };
  let definitionId: string;

  beforeEach(async () => {
    garden = await plantGarden(engine);
    owner = await garden.account();
    daemon = await garden.server(owner);
    definitionId = (await garden.definition(owner, daemon.serverId)).id;
  });

  const begin = async () => {
    const { id } = await garden.execute(owner, definitionId);
    return await garden.patch(daemon, id, { status: 'running' });
  };
  const read = (id: string) => garden.deployments.read(owner, id, 0);

  it('ends a deployment by its job when nothing is heard of it, and calls the daemon for the next', async () => {
    garden.startJobs();
    const { id } = await begin();
    await garden.execute(owner, definitionId);
    const before = garden.woken.length;
    garden.pass(10 * MINUTE);
    await until(async () => (await read(id)).status === 'failed', { describe: 'the end of the deployment' });
    expect(await read(id)).toMatchObject({ reason: 'deadline', finished_at: new Date(garden.now()).toISOString() });
    await until(() => garden.woken.length > before, { describe: 'the call' });
    expect(garden.woken.slice(before)).toEqual([daemon.serverId]);
    expect((await garden.eventsOf(id)).map(({ type, actor }) => [type, actor])).toEqual([
      ['deployment.started', daemon.serverId],
      ['deployment.failed', null],
    ]);
    await until(async () => (await jobs()) === 0, { describe: 'the end of its job' });
  });

  const jobs = async () => (await garden.storage.reader.db.selectFrom('jobs').selectAll().execute()).length;

  it('counts from the last sign of progress', async () => {
    const { id } = await begin();
    garden.pass(9 * MINUTE);
    await garden.patch(daemon, id, { status: 'running' });
    garden.pass(9 * MINUTE);
    await garden.checkDeadline(id);
    expect((await read(id)).status).toBe('running');
    garden.pass(MINUTE);
    await garden.checkDeadline(id);
    expect((await read(id)).status).toBe('failed');
  });

  it('waits while the server is away, and begins anew when it is back', async () => {
    const { id } = await begin();
    await garden.turn(daemon.serverId, 'offline');
    garden.pass(60 * MINUTE);
    await garden.checkDeadline(id);
    expect((await read(id)).status).toBe('running');
    await garden.turn(daemon.serverId, 'online');
    garden.pass(9 * MINUTE);
    await garden.checkDeadline(id);
    expect((await read(id)).status).toBe('running');
    garden.pass(MINUTE);
    await garden.checkDeadline(id);
    expect((await read(id)).status).toBe('failed');
  });

  it('begins anew also after an absence that no look at it fell into', async () => {
    const { id } = await begin();
    garden.pass(9 * MINUTE);
    await garden.storage.write((tx) => garden.deployments.serverReturned(tx, daemon.serverId));
    garden.pass(9 * MINUTE);
    await garden.checkDeadline(id);
    expect((await read(id)).status).toBe('running');
  });

  it('does not count for one that waits in the queue', async () => {
    const first = await begin();
    const waiting = await garden.execute(owner, definitionId);
    garden.pass(60 * MINUTE);
    await garden.patch(daemon, first.id, { status: 'success' });
    await garden.patch(daemon, waiting.id, { status: 'running' });
    await garden.checkDeadline(waiting.id);
    expect((await read(waiting.id)).status).toBe('running');
  });

  it('ends what ran on a server that was removed', async () => {
    const { id } = await begin();
    await garden.storage.write((tx) =>
      tx.db.updateTable('servers').set({ deleted_at: 1 }).where('id', '=', daemon.serverId).execute(),
    );
    await garden.checkDeadline(id);
    expect(await read(id)).toMatchObject({ status: 'failed', reason: 'server_removed' });
  });
});
