import type { UpdateOrder } from '@hortus/contract/releases/daemon-update';
import type { OrderBinding, Protect } from '../../channel/protect.ts';
import { OutcomeUnknown, type Queries, type Storage, StorageUnavailable, type Tx } from '../../storage/storage.ts';
import type { Release } from '../implant/public.ts';
import { holdDaemon } from '../servers/public.ts';
import { wakeUpdate } from './job.ts';
import { findUpdate, markSent, openTargetOf, orderedTargets, type TargetRow, unmarkSent } from './store.ts';

export type UpdateMessage = UpdateOrder & { readonly type: 'daemon_update' };

/** Connection to a daemon. */
export interface Line {
  readonly serverId: string;
  readonly epoch: number;
  readonly sealingKey: string | null;
  /** Binds the next order to the connection. */
  nextBinding(): OrderBinding | undefined;
  /** Returns false if the message was certainly not sent. */
  send(message: UpdateMessage): boolean;
  /** Closes it, so that the daemon connects again. */
  reconnect(): void;
}

export interface UpdateOrdersDeps {
  readonly storage: Storage;
  /** Signs orders. */
  readonly protect: Protect;
}

/** Sends daemons their orders to update. */
export class UpdateOrders {
  readonly #deps: UpdateOrdersDeps;
  constructor(deps: UpdateOrdersDeps) {
    this.#deps = deps;
  }

  /**
   * Sends a daemon its order, once on each connection until it reports: a daemon carries out an id once. If its turn has
   * come while it was offline, the update is advanced instead.
   */
  async dispatch(line: Line): Promise<void> {
    const { storage, protect } = this.#deps;
    const target = await openTargetOf(storage.reader, line.serverId);
    if (!target) return;
    if (target.status === 'queued') {
      if (target.update_status === 'running' && target.update_stage === target.stage)
        await storage.write((tx) => wakeUpdate(tx, target.update_id));
      return;
    }
    if (target.status !== 'ordered' || target.sent_epoch === line.epoch) return;
    const order = await this.#orderFor(storage.reader, target);
    if (!order) return;
    let isMarked = false;
    try {
      isMarked = await storage.write((tx) => mark(tx, target, line.epoch));
      if (isMarked && !line.send(protect(order, line)))
        await storage.write((tx) => unmarkSent(tx, target.id, line.epoch));
    } catch (error) {
      // The order may be marked as sent on this connection without being sent; only a new connection sends it again.
      if (error instanceof OutcomeUnknown || (isMarked && error instanceof StorageUnavailable)) line.reconnect();
      throw error;
    }
  }

  /** Lists servers with an order that was not sent on the connection that this process holds. */
  async serversWithWork(epochOf: (serverId: string) => number | undefined): Promise<string[]> {
    const ordered = await orderedTargets(this.#deps.storage.reader);
    return ordered.flatMap(({ server_id, sent_epoch }) => (sent_epoch === epochOf(server_id) ? [] : server_id));
  }

  async #orderFor(queries: Queries, target: TargetRow): Promise<UpdateMessage | undefined> {
    const update = await findUpdate(queries, target.account_id, target.update_id);
    if (!update) return undefined;
    const releases = JSON.parse(update.releases) as Release[];
    const found = releases.find(({ platform: { os, arch } }) => `${os}/${arch}` === target.platform);
    return (
      found && {
        type: 'daemon_update',
        update_id: target.id,
        path: `/implant/${target.platform}/download`,
        size: found.size,
        release: found.signature,
        allow_downgrade: update.allow_downgrade === 1,
      }
    );
  }
}

/** Only the newest connection receives orders. */
async function mark(tx: Tx, { id, server_id }: TargetRow, epoch: number): Promise<boolean> {
  const daemon = await holdDaemon(tx, server_id);
  return daemon?.connection_epoch === epoch && (await markSent(tx, id, epoch));
}
