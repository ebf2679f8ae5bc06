import { UpdateDaemon } from '@hortus/testkit/update-daemon';
import { expect, it } from 'vitest';
import type { Protect } from '../../channel/protect.ts';
import { OutcomeUnknown, type Storage, type Tx } from '../../storage/storage.ts';
import { onBothEngines } from '../../testing/engines.ts';
import { losingStorage } from '../../testing/lost-commits.ts';
import { startApp } from '../../testing/running-service.ts';
import { type Line, type UpdateMessage, UpdateOrders } from './orders.ts';

const unprotected = ((order: object) => order) as unknown as Protect;

/** The service holds the lock of its database; the side door has no transactions, and the test needs none. */
function through(database: Tx): Storage {
  const part: Pick<Storage, 'engine' | 'reader' | 'write'> = {
    engine: database.engine,
    reader: database,
    write: (work) => work(database),
  };
  return part as Storage;
}

onBothEngines((engine) => {
  it('a daemon whose order was marked as sent in a lost commit connects again and gets it once', async () => {
    const service = await startApp(engine);
    const daemon = await UpdateDaemon.connected(service, 'a');
    const { serverId } = daemon;
    await service.client.call('daemon-updates.create', { body: { servers: [serverId] } });
    await daemon.order();
    const { storage, loseNext } = losingStorage(through(service.database));
    const orders = new UpdateOrders({ storage, protect: unprotected });
    /** Takes the place of the newest connection. */
    const connect = async (epoch: number) => {
      const { db } = service.database;
      await db.updateTable('servers').set({ connection_epoch: epoch }).where('id', '=', serverId).execute();
      const sent: UpdateMessage[] = [];
      let open = true;
      const line: Line = {
        serverId,
        epoch,
        sealingKey: null,
        nextBinding: () => undefined,
        send: (message) => sent.push(message) > 0,
        reconnect: () => {
          open = false;
        },
      };
      return { line, sent, isOpen: () => open };
    };
    const first = await connect(1_000);
    loseNext();
    await expect(orders.dispatch(first.line)).rejects.toThrow(OutcomeUnknown);
    expect([first.isOpen(), first.sent]).toEqual([false, []]);
    const second = await connect(1_001);
    await orders.dispatch(second.line);
    await orders.dispatch(second.line);
    expect([second.isOpen(), second.sent]).toEqual([true, [expect.objectContaining({ type: 'daemon_update' })]]);
  });
});
