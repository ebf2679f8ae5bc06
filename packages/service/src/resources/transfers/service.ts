import type { Transfer, TransferOrder, TransferReport } from '@hortus/contract/resources/transfers';
import { actorOf, type Principal } from '../../identity/principal.ts';
import { newId } from '../../ids.ts';
import { conflict, notFound } from '../../problem.ts';
import { begin, transition } from '../../state/transition.ts';
import type { Page, PageRequest, Pages } from '../../storage/page.ts';
import type { Queries, Storage, Tx } from '../../storage/storage.ts';
import { hasEnded, transferLifecycle } from './lifecycle.ts';
import { transferRecord } from './record.ts';
import {
  claimMeeting,
  countOpen,
  listOpen,
  lockTransfer,
  serversWithOpen,
  type TransferRow,
  transferById,
  transfersOf,
} from './store.ts';

export type { TransferRow };

export interface TransfersDeps {
  readonly storage: Storage;
  readonly pages: Pages;
  readonly sign: (order: Omit<TransferOrder, 'signature'>) => TransferOrder;
  /** Tells the daemon of a server, after the commit, that there is something for it. */
  readonly wake: (tx: Tx, serverId: string) => void;
  /** Something of a migration has moved on, or has ended. */
  readonly moved: (tx: Tx, migrationId: string) => Promise<void>;
}

/** What is to be carried. */
export type NewTransfer = Pick<
  TransferRow,
  | 'account_id'
  | 'migration_id'
  | 'definition_id'
  | 'instance_uid'
  | 'storage'
  | 'volume'
  | 'mode'
  | 'from_server_id'
  | 'to_server_id'
>;

/** Transfers are ordered by migrations and carried out by the daemons at their ends; here it is kept how they get on. */
export class Transfers {
  readonly #deps: TransfersDeps;
  constructor(deps: TransfersDeps) {
    this.#deps = deps;
  }

  async pending(principal: Principal, request: PageRequest): Promise<Page<Transfer & { order: TransferOrder | null }>> {
    const { storage, pages } = this.#deps;
    const serverId = principal.kind === 'server' ? principal.serverId : undefined;
    const filter = { accountId: principal.accountId, serverId };
    const page = await pages.read(request, {
      rows: (limit, offset) => listOpen(storage.reader, filter, limit, offset),
      count: (atMost) => countOpen(storage.reader, filter, atMost),
      countKey: `transfers ${filter.accountId} ${serverId ?? ''}`,
    });
    const order = (row: TransferRow) => (serverId === undefined ? null : this.#order(row, serverId));
    return { ...page, data: page.data.map((row) => ({ ...transferRecord(row), order: order(row) })) };
  }

  #order(row: TransferRow, serverId: string): TransferOrder {
    return this.#deps.sign({
      id: row.id,
      role: roleIn(row, serverId) ?? 'send',
      mode: row.mode,
      server_id: serverId,
      definition_id: row.definition_id,
      instance_uid: row.instance_uid,
      volume: row.volume,
      spool: `${row.migration_id}.${row.volume}`,
    });
  }

  async order(tx: Tx, wanted: NewTransfer, actor: string | null): Promise<TransferRow> {
    const row = {
      id: newId('transfer'),
      ...wanted,
      chunks: 0,
      bytes: 0,
      carried_bytes: 0,
      sha256: null,
      error: null,
      meeting_url: null,
      created_at: tx.now,
      updated_at: tx.now,
      started_at: null,
      finished_at: null,
    };
    const born = await begin(tx, transferLifecycle, row, 'order', actor);
    for (const server of [row.from_server_id, row.to_server_id]) this.#deps.wake(tx, server);
    return born;
  }

  async report(tx: Tx, principal: Principal, id: string, report: TransferReport): Promise<Transfer> {
    const row = await lockTransfer(tx, id);
    const role = row && principal.kind === 'server' ? roleIn(row, principal.serverId) : 'receive';
    if (row?.account_id !== principal.accountId || role === undefined) throw notFound('transfer');
    const { status, chunks = row.chunks, bytes = row.bytes, carried_bytes = row.carried_bytes, sha256, error } = report;
    if (hasEnded(row)) {
      if (row.status === status) return transferRecord(row);
      throw conflict('status', 'final', `this transfer has ended already: ${row.status}.`, { status: row.status });
    }
    if (role === 'send' && status !== 'failed')
      throw conflict('status', 'role', 'only the end that receives knows how far it is.');
    const ending = status === 'running' ? {} : { finished_at: tx.now };
    const set = { chunks, bytes, carried_bytes, started_at: row.started_at ?? tx.now, ...ending };
    const changed = await transition(tx, transferLifecycle, row, moves[status], {
      actor: actorOf(principal),
      set: { ...set, ...(sha256 !== undefined && { sha256 }), ...(error !== undefined && { error }) },
    });
    await this.#deps.moved(tx, row.migration_id);
    return transferRecord(changed);
  }

  /** Those of a migration, oldest first. */
  of(queries: Queries, migrationId: string): Promise<TransferRow[]> {
    return transfersOf(queries, migrationId);
  }

  async cancelAll(tx: Tx, migrationId: string, actor: string | null): Promise<void> {
    for (const { id } of await transfersOf(tx, migrationId)) {
      const row = await lockTransfer(tx, id);
      if (!row || hasEnded(row)) continue;
      await transition(tx, transferLifecycle, row, 'cancel', { actor, set: { finished_at: tx.now } });
      for (const server of [row.from_server_id, row.to_server_id]) this.#deps.wake(tx, server);
    }
  }

  /** For the relay: which end a server is. */
  async roleOf(serverId: string, id: string): Promise<'send' | 'receive' | undefined> {
    const row = await transferById(this.#deps.storage.reader, id);
    return row && !hasEnded(row) ? roleIn(row, serverId) : undefined;
  }

  /** For the relay: the replica where its ends meet. */
  async meetAt(id: string, own: string, instead?: string): Promise<string> {
    const { storage } = this.#deps;
    const known = instead === undefined ? (await transferById(storage.reader, id))?.meeting_url : undefined;
    return known ?? (await storage.write((tx) => claimMeeting(tx, id, own, instead)));
  }

  /** Whether a daemon should look. */
  async waitsFor(serverId: string): Promise<boolean> {
    return (await this.serversWithWork()).includes(serverId);
  }

  /** Those whose daemons may not have begun. */
  serversWithWork(): Promise<string[]> {
    return serversWithOpen(this.#deps.storage.reader);
  }
}

const moves = { running: 'progress', completed: 'complete', failed: 'fail' } as const;

function roleIn(row: TransferRow, serverId: string): 'send' | 'receive' | undefined {
  if (row.from_server_id === serverId) return 'send';
  return row.to_server_id === serverId ? 'receive' : undefined;
}

export const transferRecordOf = transferRecord;
