import type { Manifest } from '@hortus/contract/template/manifest';
import { expect, it } from 'vitest';
import { onBothEngines } from '../../testing/engines.ts';
import { type InstanceServices, openInstanceServices } from '../instances/testing/instance-services.ts';
import { lostNodeJob, NODE_LOST, RETURN_MS, restoreLater } from './lost-node.ts';
import { backupResult } from './testing/backup-result.ts';

onBothEngines((engine) => {
  /** A running instance whose node can be lost; `loss` is what its template says about that. */
  async function openLosable(loss: 'restore' | 'wait' = 'restore') {
    const services = await openInstanceServices(engine);
    const { id, definitionId, containerName } = await services.running();
    const { storage, serverId, principal, clock } = services;
    const node = { server_id: serverId, account_id: principal.accountId, node_id: 'n3', hostname: 'node-3' };
    const components = [{ name: 'app', on_node_loss: loss, storage: [{ name: 'data', volume: 'v' }] }];
    const state = { isLost: true };
    const job = lostNodeJob({
      ...services,
      manifestOf: async () => ({ manifest: { components } as unknown as Manifest }),
      isLost: async () => state.isLost,
    });
    const jobs = () => storage.reader.db.selectFrom('jobs').selectAll().where('kind', '=', NODE_LOST).execute();
    return {
      ...services,
      id,
      definitionId,
      state,
      jobs,
      /** Backs the instance up, and verifies that backup unless told otherwise. */
      async backUp(verified = true): Promise<string> {
        const ordered = await storage.write((tx) => services.backups.create(tx, principal, id));
        await carryOut(services, backupResult(ordered.backup));
        if (!verified) return ordered.backup.id;
        await storage.write((tx) => services.backups.verify(tx, principal, ordered.backup.id));
        await carryOut(services, { proof: 'restored' });
        return ordered.backup.id;
      },
      async lose(): Promise<void> {
        await storage.write((tx) => restoreLater(tx, node, [containerName, 'another']));
        expect((await jobs()).map(({ run_at }) => Number(run_at) - clock.now)).toEqual([RETURN_MS]);
      },
      /** Runs the jobs that wait, as a worker would when they are due. */
      async afterGrace(): Promise<void> {
        for (const { id: jobId, payload } of await jobs())
          await job.run({
            job: { payload: JSON.parse(payload) },
            complete: async (tx: { db: typeof storage.reader.db }) => {
              await tx.db.deleteFrom('jobs').where('id', '=', jobId).execute();
              return 'settled';
            },
          } as never);
      },
      orders: async () =>
        (await storage.reader.db.selectFrom('executions').selectAll().where('instance_id', '=', id).execute())
          .filter(({ slug }) => slug === 'hortus.restore_elsewhere')
          .map(({ params, status }) => ({ status, ...JSON.parse(params) })),
      eventsOf: async () =>
        (await services.events(id)).filter(({ type }) => type.startsWith('audit.node_')).map(({ type }) => type),
    };
  }

  async function carryOut(services: InstanceServices, result: object): Promise<string> {
    const line = await services.connect();
    await services.actions.dispatch(services.serverId, line);
    const { execution_id } = line.sent.at(-1) as { execution_id: string };
    await services.put(execution_id, { status: 'completed', result } as never);
    return execution_id;
  }

  it('an instance of a lost node is restored from its newest verified backup, once', async () => {
    const losable = await openLosable();
    const older = await losable.backUp();
    losable.clock.now += 1_000;
    await losable.backUp(false);
    await losable.lose();
    await losable.afterGrace();
    await losable.afterGrace();
    expect(await losable.orders()).toMatchObject([{ backup_id: older, lost_node: 'n3', status: 'pending' }]);
    expect(await losable.eventsOf()).toEqual(['audit.node_restore_ordered']);
  });

  it('without a verified backup nothing is restored, and an event says why', async () => {
    const losable = await openLosable();
    await losable.backUp(false);
    await losable.lose();
    await losable.afterGrace();
    expect([await losable.orders(), await losable.eventsOf()]).toEqual([[], ['audit.node_restore_skipped']]);
  });

  it('nothing is restored if the node comes back in time, or the component waits for it', async () => {
    const back = await openLosable();
    await back.backUp();
    await back.lose();
    back.state.isLost = false;
    await back.afterGrace();
    const waiting = await openLosable('wait');
    await waiting.backUp();
    await waiting.lose();
    await waiting.afterGrace();
    for (const item of [back, waiting]) expect([await item.orders(), await item.eventsOf()]).toEqual([[], []]);
  });

  it('a restore whose leader was lost is ordered again, even if the node is back; one that failed is not', async () => {
    const losable = await openLosable();
    await losable.backUp();
    await losable.lose();
    await losable.afterGrace();
    const line = await losable.connect();
    await losable.actions.dispatch(losable.serverId, line);
    const [first = ''] = line.requested;
    await losable.put(first, { status: 'failed', outcome: 'unknown', error: 'the leader was lost' } as never);
    losable.state.isLost = false;
    await losable.afterGrace();
    expect((await losable.orders()).map(({ status }) => status).sort()).toEqual(['failed', 'pending']);
    await losable.actions.dispatch(losable.serverId, line);
    await losable.put(line.requested.at(-1) ?? '', { status: 'failed', error: 'no room' } as never);
    expect(await losable.jobs()).toEqual([]);
  });
});
