import { until } from '@hortus/testkit/until';
import { UpdateDaemon } from '@hortus/testkit/update-daemon';
import { expect, it } from 'vitest';
import { onBothEngines } from '../../testing/engines.ts';
import { MortalProcess } from '../../testing/mortal-process.ts';
import { startApp } from '../../testing/running-service.ts';
import { UPDATE_DAEMONS } from './job.ts';

/** Carries out each id once and repeats its last report after every connect, as hortusd does. */
class Journal {
  readonly carriedOut = new Set<string>();

  respond(daemon: UpdateDaemon): void {
    for (const { update_id } of daemon.orders) this.carriedOut.add(update_id);
    for (const id of this.carriedOut) daemon.reportOf(id, '1.2.3', 'done');
  }
}

onBothEngines((engine) => {
  it('an update that a dying service carries out orders every server once, stage by stage, and ends', async () => {
    const names = ['a', 'b', 'c', 'd', 'e'];
    const testDatabase = await engine.testDatabase();
    const journals = new Map(names.map((name) => [name, new Journal()]));
    let daemons: UpdateDaemon[] = [];
    let id: string | undefined;
    let deaths = 0;
    for (let ended = false; !ended; ) {
      // The first process lives until the update is ordered.
      const nth = id === undefined ? 1_000 : 1 + (deaths % 3);
      const process = new MortalProcess(/^update "daemon_update/, nth, deaths % 2 === 0);
      const service = await startApp(engine, {}, testDatabase, process);
      const { db } = service.database;
      if (id === undefined) {
        daemons = await Promise.all(names.map((name) => UpdateDaemon.connected(service, name)));
        await Promise.all(daemons.map((daemon) => daemon.disconnect()));
        const body = { all: true as const, stages: [1, 3] };
        id = (await service.client.call('daemon-updates.create', { body })).data.id;
        await service.app.close();
        continue;
      }
      // The lease of the process that died would end later.
      await db.updateTable('jobs').set({ run_at: 0, lease_owner: null }).where('kind', '=', UPDATE_DAEMONS).execute();
      const connect = (daemon: UpdateDaemon) => daemon.connect(service.base).catch(() => {});
      const connecting = Promise.all(daemons.map(connect));
      const status = db.selectFrom('daemon_updates').select('status').where('id', '=', id);
      await until(
        async () => {
          if (!process.dead) for (const daemon of daemons) journals.get(daemon.name)?.respond(daemon);
          return process.dead || (await status.executeTakeFirstOrThrow()).status === 'completed';
        },
        { describe: 'a death, or the end of the update' },
      );
      if (process.dead) deaths++;
      else ended = true;
      process.buried = process.dead;
      await service.app.close();
      await connecting;
    }
    expect(deaths).toBeGreaterThan(2);

    const last = await startApp(engine, {}, testDatabase);
    const { data } = await last.client.call('daemon-updates.read', { params: { id: id ?? '' } });
    expect(data.targets.map(({ status }) => status)).toEqual(names.map(() => 'done'));
    // One order for each server: every daemon saw one id, whatever was repeated.
    expect([...journals.values()].map(({ carriedOut }) => carriedOut.size)).toEqual(names.map(() => 1));
    expect((await last.eventsOf(id)).map(({ type }) => type)).toEqual([
      'daemon_update.started',
      'daemon_update.completed',
    ]);
  });
});
