import { timingSafeEqual } from 'node:crypto';
import type { Transfer, TransferOrder, TransferReport } from '@hortus/contract/resources/transfers';
import { transferContext } from '@hortus/template/sealing/contexts';
import { sealFields } from '@hortus/template/sealing/sealed-fields';
import { actorOf, type Principal, requirePermission } from '../../identity/principal.ts';
import { conflict, notFound, Problem } from '../../problem.ts';
import { newId } from '../../records/ids.ts';
import { begin, transition } from '../../state/transition.ts';
import type { Page, PageRequest, Pages } from '../../storage/page.ts';
import type { Queries, Storage, Tx } from '../../storage/storage.ts';
import { hasEnded, transferLifecycle } from './lifecycle.ts';
import { transferRecord } from './record.ts';
import {
  claimMeeting,
  lockTransfer,
  openList,
  serversOf,
  serversWithOpen,
  type TransferRow,
  transferById,
  transfersOf,
  transfersOfImport,
} from './store.ts';

export interface TransfersDeps {
  readonly storage: Storage;
  readonly pages: Pages;
  readonly sign: (order: Omit<TransferOrder, 'signature'>) => TransferOrder;
  /** Notifies the daemon of a server, after the commit, that there is work for it. */
  readonly wake: (tx: Tx, serverId: string) => void;
  /** Called when a transfer of a migration or import progresses or ends. */
  readonly moved: (tx: Tx, transfer: TransferRow) => Promise<void>;
  /** Returns what a daemon needs to read a backup; undefined if it is gone. */
  readonly opening: (queries: Queries, accountId: string, backupId: string) => Promise<Opening | undefined>;
  /** Pinned key of the server's daemon; null if it has none. */
  readonly sealingKeyOf: (queries: Queries, serverId: string) => Promise<string | null>;
  /** A code of the account that only the service can compute. */
  readonly hmac: (queries: Queries, accountId: string, text: string) => Promise<string>;
}

type Opening = NonNullable<TransferOrder['backup']>;

/** What to transfer. */
export type NewTransfer = Pick<
  TransferRow,
  'account_id' | 'definition_id' | 'instance_uid' | 'storage' | 'volume' | 'mode'
> &
  Partial<Pick<TransferRow, 'migration_id' | 'import_id' | 'backup_id' | 'from_server_id' | 'to_server_id'>>;

/** Tracks transfers. Other resources order them; daemons and clients carry them out. */
export class Transfers {
  readonly #deps: TransfersDeps;
  constructor(deps: TransfersDeps) {
    this.#deps = deps;
  }

  async pending(
    principal: Principal,
    request: PageRequest & { readonly nonce?: string },
  ): Promise<Page<Transfer & { order: TransferOrder | null }>> {
    const { storage, pages } = this.#deps;
    const serverId = principal.kind === 'server' ? principal.serverId : undefined;
    const filter = { accountId: principal.accountId, serverId };
    const page = await pages.read(request, openList(storage.reader, filter));
    const data: (Transfer & { order: TransferOrder | null })[] = [];
    for (const row of page.data) {
      const order = serverId === undefined ? null : await this.#order(row, serverId, request.nonce);
      data.push({ ...transferRecord(row), order });
    }
    return { ...page, data };
  }

  /** Signs the order of a transfer for one request. Null if it can no longer be carried out; it ends on its own. */
  async #order(row: TransferRow, serverId: string, nonce: string | undefined): Promise<TransferOrder | null> {
    const { storage, sign, opening, sealingKeyOf } = this.#deps;
    const backup = row.backup_id && (await opening(storage.reader, row.account_id, row.backup_id));
    if (row.backup_id !== null && !backup) return null;
    const order = {
      id: row.id,
      role: roleIn(row, serverId) ?? ('send' as const),
      mode: row.mode,
      server_id: serverId,
      definition_id: row.definition_id,
      instance_uid: row.instance_uid,
      volume: row.volume,
      spool: `${row.migration_id ?? row.import_id ?? row.id}.${row.volume}`,
      ...(backup && { backup }),
      ...(nonce !== undefined && { nonce }),
    };
    const key = await sealingKeyOf(storage.reader, serverId);
    if (key === null) return sign(order);
    const withTicket = { ...order, ticket: await this.#ticket(storage.reader, row, serverId, key) };
    return sign(sealFields(withTicket, ['/backup/key', '/ticket'], key, transferContext(order)));
  }

  async order(tx: Tx, wanted: NewTransfer, actor: string | null): Promise<TransferRow> {
    const row = {
      id: newId('transfer'),
      migration_id: null,
      import_id: null,
      backup_id: null,
      from_server_id: null,
      to_server_id: null,
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
    for (const server of serversOf(row)) this.#deps.wake(tx, server);
    return born;
  }

  async report(tx: Tx, principal: Principal, id: string, report: TransferReport): Promise<Transfer> {
    const row = await lockTransfer(tx, id);
    const role =
      row && (principal.kind === 'server' ? roleIn(row, principal.serverId) : (callersRole(row) ?? 'receive'));
    if (row?.account_id !== principal.accountId || role === undefined) throw notFound('transfer');
    if (principal.kind === 'server') await this.#requireTicket(tx, row, principal.serverId, report.ticket);
    const { status, chunks = row.chunks, bytes = row.bytes, carried_bytes = row.carried_bytes, sha256, error } = report;
    if (hasEnded(row)) {
      if (row.status === status) return transferRecord(row);
      throw conflict('status', 'final', `this transfer has already ended: ${row.status}.`, {
        status: row.status,
        error: row.error,
      });
    }
    if (role === 'send' && status !== 'failed')
      throw conflict('status', 'role', 'only the receiver reports progress and completion.');
    const ending = status === 'running' ? {} : { finished_at: tx.now };
    const set = { chunks, bytes, carried_bytes, started_at: row.started_at ?? tx.now, ...ending };
    const changed = await transition(tx, transferLifecycle, row, moves[status], {
      actor: actorOf(principal),
      set: { ...set, ...(sha256 !== undefined && { sha256 }), ...(error !== undefined && { error }) },
    });
    await this.#deps.moved(tx, changed);
    return transferRecord(changed);
  }

  /** Fails a transfer on behalf of one of its ends, for the relay. */
  async fail(principal: Principal, id: string, report: Pick<TransferReport, 'ticket' | 'error'>): Promise<void> {
    await this.#deps.storage.write((tx) => this.report(tx, principal, id, { status: 'failed', ...report }));
  }

  /** Lists the transfers of a migration, oldest first. */
  of(queries: Queries, migrationId: string): Promise<TransferRow[]> {
    return transfersOf(queries, migrationId);
  }

  ofImport(queries: Queries, importId: string): Promise<TransferRow[]> {
    return transfersOfImport(queries, importId);
  }

  async cancelAll(tx: Tx, migrationId: string, actor: string | null): Promise<void> {
    for (const { id } of await transfersOf(tx, migrationId)) await this.cancel(tx, id, actor);
  }

  /** Idempotent: an ended transfer does not change. */
  async cancel(tx: Tx, id: string, actor: string | null): Promise<void> {
    const row = await lockTransfer(tx, id);
    if (!row || hasEnded(row)) return;
    await transition(tx, transferLifecycle, row, 'cancel', { actor, set: { finished_at: tx.now } });
    for (const server of serversOf(row)) this.#deps.wake(tx, server);
  }

  /** Locks a transfer, for resources that wait for it. */
  async hold(tx: Tx, id: string): Promise<(TransferRow & { readonly ended: boolean }) | undefined> {
    const row = await lockTransfer(tx, id);
    return row && { ...row, ended: hasEnded(row) };
  }

  #ticket(queries: Queries, { id, account_id }: TransferRow, serverId: string, key: string): Promise<string> {
    return this.#deps.hmac(queries, account_id, `transfer ticket ${id} ${serverId} ${key}`);
  }

  /**
   * Throws unless the caller could open the order, if its server has a pinned key pair. A stolen server key alone must neither read a
   * volume nor report that one has arrived.
   */
  async #requireTicket(queries: Queries, row: TransferRow, serverId: string, shown: string | undefined): Promise<void> {
    const key = await this.#deps.sealingKeyOf(queries, serverId);
    if (key === null) return;
    const ticket = Buffer.from(await this.#ticket(queries, row, serverId, key));
    const input = Buffer.from(shown ?? '');
    if (input.length === ticket.length && timingSafeEqual(input, ticket)) return;
    throw new Problem(
      'FORBIDDEN',
      'ticket: is missing or wrong. Only the daemon with the pinned key pair of the server can read it from its order.',
    );
  }

  /** Finds which end the caller is, for the relay. */
  async roleOf(principal: Principal, id: string, ticket: string | undefined): Promise<'send' | 'receive' | undefined> {
    const row = await transferById(this.#deps.storage.reader, id);
    if (!row || hasEnded(row) || row.account_id !== principal.accountId) return undefined;
    if (principal.kind === 'server') {
      const role = roleIn(row, principal.serverId);
      if (role !== undefined) await this.#requireTicket(this.#deps.storage.reader, row, principal.serverId, ticket);
      return role;
    }
    const role = callersRole(row);
    if (role !== undefined) requirePermission(principal, role === 'send' ? 'definitions:write' : 'data:export');
    return role;
  }

  /** Finds the replica where both ends meet, for the relay. */
  async meetAt(id: string, own: string, instead?: string): Promise<string> {
    const { storage } = this.#deps;
    const known = instead === undefined ? (await transferById(storage.reader, id))?.meeting_url : undefined;
    return known ?? (await storage.write((tx) => claimMeeting(tx, id, own, instead)));
  }

  /** Whether a daemon should poll. */
  async waitsFor(serverId: string): Promise<boolean> {
    return (await this.serversWithWork()).includes(serverId);
  }

  /** Lists servers whose daemons may not have started a transfer. */
  serversWithWork(): Promise<string[]> {
    return serversWithOpen(this.#deps.storage.reader);
  }
}

const moves = { running: 'progress', completed: 'complete', failed: 'fail' } as const;

function roleIn(row: TransferRow, serverId: string): 'send' | 'receive' | undefined {
  if (row.from_server_id === serverId) return 'send';
  return row.to_server_id === serverId ? 'receive' : undefined;
}

/** Which end is a client; undefined if both are servers, and if nothing is transferred. */
function callersRole({ mode, from_server_id, to_server_id }: TransferRow): 'send' | 'receive' | undefined {
  if (mode === 'discard') return undefined;
  if (from_server_id === null) return 'send';
  return to_server_id === null ? 'receive' : undefined;
}
