import type { ShellOrder } from '@hortus/contract/protocol/shell';
import { idPattern } from '@hortus/contract/records/ids';
import type { RecordedOutput, ShellRecording, ShellRequest, ShellSession } from '@hortus/contract/resources/shells';
import { actorOf, credentialOf, type Principal } from '../../identity/principal.ts';
import { append } from '../../outbox/append.ts';
import { conflict, notFound, Problem } from '../../problem.ts';
import { newId } from '../../records/ids.ts';
import type { Page, PageRequest, Pages } from '../../storage/page.ts';
import type { Queries, Storage, Tx } from '../../storage/storage.ts';
import type { Vault } from '../../vault/vault.ts';
import type { ServerState } from '../servers/public.ts';
import { durationOf, shellRecord } from './record.ts';
import {
  appendRecording,
  beginShell,
  contentOf,
  countWaiting,
  endShell,
  findShell,
  insertShell,
  keepSeen,
  nameComponent,
  partsOf,
  removeWaiting,
  type ShellRow,
  shellsOf,
  unseenShells,
} from './store.ts';

/** Where a shell runs. */
interface ShellPlace {
  readonly accountId: string;
  readonly serverId: string;
  /** Name of the instance on the server. */
  readonly instance: string;
}

export interface ShellsDeps {
  readonly storage: Storage;
  readonly pages: Pages;
  readonly vault: Vault;
  /** Throws if the caller has no such instance. */
  readonly place: (queries: Queries, principal: Principal, instanceId: string) => Promise<ShellPlace>;
  readonly serverState: (queries: Queries, place: ShellPlace) => Promise<ServerState | undefined>;
}

export interface BegunShell {
  readonly row: ShellRow;
  readonly place: ShellPlace;
  readonly order: ShellOrder;
}

export type Ending = Pick<ShellRow, 'ending' | 'exit_code'>;

/** Time for a client to connect to its session. */
const CONNECT_WITHIN_MS = 60_000;
/** A running session that was not reported for so long has ended with its replica. */
const UNSEEN_MS = 5 * 60_000;
const MAX_UNSEEN = 100;
/** Sessions of an account that wait for their client. */
const MAX_WAITING = 32;
const KEEP_WAITING_MS = 3_600_000;
const MAX_REMOVED = 1_000;
/** Recorded bytes of an account, above which recordings are kept short. */
const MAX_RECORDED_BYTES = 2 ** 30;
/** Output in one answer, and the number of parts. */
const PAGE = { bytes: 256 * 1024, parts: 256 };

const DEFAULTS = { cols: 80, rows: 24, term: 'xterm' } as const;

/** Manages shell sessions and their recordings; `RunningShell` connects the two ends. */
export class Shells {
  readonly #deps: ShellsDeps;
  constructor(deps: ShellsDeps) {
    this.#deps = deps;
  }

  async open(
    tx: Tx,
    principal: Principal,
    instanceId: string,
    request: ShellRequest,
    address: string,
  ): Promise<ShellSession> {
    const { vault, place: placeOf, serverState } = this.#deps;
    const place = await placeOf(tx, principal, instanceId);
    requireShells(await serverState(tx, place));
    await requireFewWaiting(tx, place.accountId);
    const { terminal = true, component, ...rest } = request;
    const id = newId('shell');
    const order: ShellOrder = { ...DEFAULTS, ...rest, tty: terminal, ...(component !== undefined && { component }) };
    const row: ShellRow = {
      id,
      account_id: place.accountId,
      instance_id: instanceId,
      server_id: place.serverId,
      component: component ?? null,
      request: await vault.encrypt(tx, place.accountId, JSON.stringify(order), requestContext(id)),
      terminal: terminal ? 1 : 0,
      credential_id: credentialOf(principal),
      opened_by: actorOf(principal),
      address,
      created_at: tx.now,
      started_at: null,
      ended_at: null,
      seen_at: null,
      ending: null,
      exit_code: null,
      recorded_bytes: 0,
      recording_cut: 0,
    };
    await insertShell(tx, row);
    return shellRecord(row);
  }

  /** Begins a session for the client that connects. Throws unless the same credential has opened it. */
  async begin(principal: Principal, id: string): Promise<BegunShell> {
    const { storage, vault, place: placeOf } = this.#deps;
    if (!SHELL_ID.test(id)) throw notWaiting();
    return await storage.write(async (tx) => {
      const { accountId } = principal;
      const since = tx.now - CONNECT_WITHIN_MS;
      const row = await beginShell(tx, { id, accountId, credentialId: credentialOf(principal), since });
      if (!row) throw notWaiting();
      const place = await placeOf(tx, principal, row.instance_id);
      const order = JSON.parse(await vault.decrypt(tx, accountId, row.request, requestContext(id))) as ShellOrder;
      await audit(tx, 'audit.shell_opened', row, { address: row.address, terminal: row.terminal === 1 });
      return { row, place, order };
    });
  }

  /** Records the component that the daemon has chosen. */
  async entered(id: string, component: string): Promise<void> {
    await this.#deps.storage.write((tx) => nameComponent(tx, id, component));
  }

  async seen(id: string): Promise<void> {
    await this.#deps.storage.write((tx) => keepSeen(tx, id));
  }

  /** Idempotent. */
  async end(id: string, { ending, exit_code }: Ending): Promise<void> {
    await this.#deps.storage.write((tx) => endIn(tx, id, { ended_at: tx.now, ending, exit_code }));
  }

  /**
   * Ends the sessions of replicas that were killed, at the time when they were last seen, and removes those to which no client
   * has connected.
   */
  async endUnseen(now: number): Promise<void> {
    const { storage } = this.#deps;
    await storage.write((tx) => removeWaiting(tx, now - KEEP_WAITING_MS, MAX_REMOVED));
    for (const { id, seen_at } of await unseenShells(storage.reader, now - UNSEEN_MS, MAX_UNSEEN))
      await storage.write((tx) => endIn(tx, id, { ended_at: seen_at, ending: 'service_stopped', exit_code: null }));
  }

  /** Stores a part of a recording, encrypted. Returns false if the account has too many recorded bytes. */
  async record(
    { id, account_id }: ShellRow,
    part: { number: number; events: string; bytes: number; cut: boolean },
  ): Promise<boolean> {
    const { storage, vault } = this.#deps;
    const { number, events, bytes, cut } = part;
    return await storage.write(async (tx) => {
      const content = await vault.encrypt(tx, account_id, events, partContext(id, number));
      const total = await appendRecording(tx, { shell_id: id, account_id, number, content, bytes }, cut);
      return total <= MAX_RECORDED_BYTES;
    });
  }

  async list(principal: Principal, instanceId: string, request: PageRequest): Promise<Page<ShellSession>> {
    const { storage, pages, place } = this.#deps;
    await place(storage.reader, principal, instanceId);
    const { data, pagination } = await pages.read(
      request,
      shellsOf(storage.reader, { accountId: principal.accountId, instanceId }),
    );
    return { data: data.map(shellRecord), pagination };
  }

  async read(principal: Principal, id: string): Promise<ShellSession> {
    return shellRecord(await this.#find(principal, id));
  }

  async recording(principal: Principal, id: string, after = 0): Promise<ShellRecording> {
    const { storage, vault } = this.#deps;
    const { accountId } = principal;
    const row = await this.#find(principal, id);
    // The beginning of each reading is recorded, not every page of it.
    if (after === 0) await storage.write((tx) => audit(tx, 'audit.shell_replayed', row, {}, actorOf(principal)));
    const { last, next } = pageOf(await partsOf(storage.reader, id, after, PAGE.parts));
    const events: RecordedOutput[] = [];
    for (const { number, content } of await contentOf(storage.reader, id, after, last))
      events.push(...JSON.parse(await vault.decrypt(storage.reader, accountId, content, partContext(id, number))));
    const order = JSON.parse(
      await vault.decrypt(storage.reader, accountId, row.request, requestContext(id)),
    ) as ShellOrder;
    return { header: headerOf(row, order), events, next };
  }

  async #find({ accountId }: Principal, id: string): Promise<ShellRow> {
    const row = await findShell(this.#deps.storage.reader, accountId, id);
    if (!row) throw notFound('shell session');
    return row;
  }
}

/** Returns the last part that fits into an answer, which has at least one. */
function pageOf(parts: readonly { readonly number: number; readonly bytes: number }[]) {
  let bytes = 0;
  const beyond = parts.findIndex((part, index) => {
    bytes += part.bytes;
    return index > 0 && bytes > PAGE.bytes;
  });
  const last = parts.at(beyond === -1 ? -1 : beyond - 1)?.number ?? 0;
  return { last, next: beyond === -1 && parts.length < PAGE.parts ? null : last };
}

async function requireFewWaiting(tx: Tx, accountId: string): Promise<void> {
  if ((await countWaiting(tx, accountId, tx.now - CONNECT_WITHIN_MS, MAX_WAITING)) < MAX_WAITING) return;
  throw new Problem('RATE_LIMITED', `${MAX_WAITING} shells of this account wait for their client. Connect to them.`, {
    limit: MAX_WAITING,
    reason: 'shell_limit',
    retry_after: CONNECT_WITHIN_MS / 1_000,
  });
}

async function endIn(tx: Tx, id: string, end: Pick<ShellRow, 'ended_at' | 'ending' | 'exit_code'>): Promise<void> {
  const row = await endShell(tx, id, end);
  if (!row) return;
  const { ending, exit_code, recorded_bytes } = row;
  await audit(tx, 'audit.shell_ended', row, { duration_ms: durationOf(row), ending, exit_code, recorded_bytes });
}

const audit = (
  tx: Tx,
  type: `audit.${string}`,
  row: ShellRow,
  data: Record<string, unknown>,
  actor: string = row.opened_by,
): Promise<void> =>
  append(tx, {
    type,
    accountId: row.account_id,
    resourceType: 'instance',
    resourceId: row.instance_id,
    actor,
    data: {
      instance_id: row.instance_id,
      session_id: row.id,
      server_id: row.server_id,
      component: row.component,
      ...data,
    },
  });

const SHELL_ID = new RegExp(idPattern('shell'));
const notWaiting = () => notFound('shell session that waits for a client');

const requestContext = (id: string) => `shell ${id}`;
const partContext = (id: string, number: number) => `shell ${id} part ${number}`;

const headerOf = (row: ShellRow, { cols, rows, term, command }: ShellOrder): ShellRecording['header'] => ({
  version: 2,
  width: cols,
  height: rows,
  timestamp: Math.floor((row.started_at ?? row.created_at) / 1_000),
  ...(command && { command: command.join(' ') }),
  title: `${row.instance_id} ${row.component ?? ''}`.trim(),
  env: { TERM: term },
});

/** Throws unless the daemon of the server can open a shell now. */
function requireShells(server: ServerState | undefined): void {
  if (!server) throw conflict('id', 'removed', 'its server has been removed.');
  const { name, connected, capabilities } = server;
  if (!connected || capabilities === undefined)
    throw conflict('id', 'offline', `the server ${name} is not connected. Start hortusd there, then try again.`);
  if (!capabilities.includes('shell'))
    throw conflict('id', 'old_daemon', `the daemon of ${name} cannot open shells; update it.`);
}

/** Errors after which no recording is possible end the session. */
export const unrecorded = (): Problem =>
  new Problem('SERVER_ERROR', 'The session was ended because its recording could not be stored. Try again.', {
    reason: 'unrecorded',
  });
