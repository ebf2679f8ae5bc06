import type { KeyObject } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { Link, LinkLost } from '@hortus/client/transfer/link';
import { Reading, type Sending, send } from '@hortus/client/transfer/sender';
import type { TransferOrder, TransferReport } from '@hortus/contract/resources/transfers';
import { release } from '@hortus/contract/runtime/free-buffer';
import { guardedBy } from '@hortus/contract/runtime/guarded-by';
import { transferContext } from '@hortus/template/sealing/contexts';
import { openFields } from '@hortus/template/sealing/sealed-fields';
import type { BackupStore } from '../backup/backup-store.ts';
import { Backoff } from '../concurrency/backoff.ts';
import type { Engine } from '../engine/engine.ts';
import { isEngineProblem } from '../engine/engine-problem.ts';
import type { TransferOutcome } from '../journal/finished-transfers.ts';
import type { Journal } from '../journal/journal.ts';
import { isRefusal, type Service } from '../link/service.ts';
import type { Log } from '../log.ts';
import { label, labelsOf, ownerLabels } from '../plan/labels.ts';
import { isSignedBy } from '../trust/manifest-signature.ts';
import { requestNonce } from '../trust/request-nonce.ts';
import { readVolume, writeVolume } from '../volumes/volumes.ts';
import { readBackedUpVolume } from './backed-up-volume.ts';
import { type Progress, type Received, receive } from './receiver.ts';
import { Damaged, Spool } from './spool.ts';

export interface TransfersOptions {
  engine: Engine;
  service: Service;
  stateDirectory: string;
  /** Remembers finished transfers. */
  journal: Pick<Journal, 'finishedTransfers'>;
  serverId(): string;
  /** Public key of the service; without one every order is rejected. */
  publicKey(): KeyObject | undefined;
  /** Decrypts the keys of backups. */
  privateKey: KeyObject;
  log: Log;
  /** Backups to fetch volumes from. */
  backups: BackupStore;
  /** Whether this daemon may act: another member of its cluster may lead. */
  leads?: () => boolean;
  /** For tests that end the process at a chosen moment. */
  boundary?: ((moment: string) => void) | undefined;
}

const REPORT_EVERY_MS = 1_000;
const PAUSES = { firstMs: 200, maxMs: 5_000 };

/** Runs this server's end of transfers, across reconnects and daemon restarts. */
export class Transfers {
  readonly #options: TransfersOptions;
  readonly #directory: string;
  readonly #active = new Map<string, { order: TransferOrder; controller: AbortController; done: Promise<void> }>();

  constructor(options: TransfersOptions) {
    this.#options = options;
    this.#directory = join(options.stateDirectory, 'transfers');
  }

  /** Starts new transfers and aborts withdrawn ones. Rejects if the service does not respond. */
  async poll(): Promise<void> {
    const { service, log, leads = () => true } = this.#options;
    const nonce = requestNonce();
    const { data } = await service.call('transfers.pending', { query: { per_page: 100, nonce } });
    if (!leads()) return;
    const wanted = new Set(data.map(({ id }) => id));
    for (const [id, { controller }] of this.#active) if (!wanted.has(id)) controller.abort();
    for (const { order } of data) {
      if (!order || this.#active.has(order.id)) continue;
      if (!this.#isOurs(order, nonce))
        log.error(
          { transfer: order.id },
          'transfer order rejected: the service did not sign it for this server and this request; update an older service',
        );
      else this.#follow(openFields(order, this.#options.privateKey, transferContext(order)));
    }
  }

  /** Aborts the transfers of a removed instance and deletes what they received. */
  async abandon(uid: string): Promise<void> {
    await this.#end(({ instance_uid }) => instance_uid === uid);
    for (const name of existsSync(this.#directory) ? readdirSync(this.#directory) : []) {
      const directory = join(this.#directory, name);
      if (ownerOf(directory) === uid) rmSync(directory, { recursive: true, force: true });
    }
  }

  async stop(): Promise<void> {
    await this.#end(() => true);
  }

  /** Aborts all transfers: this daemon does not lead its cluster. The service offers those that are still wanted to the leader. */
  suspend(): void {
    for (const { controller } of this.#active.values()) controller.abort();
  }

  /** Aborts matching transfers and waits until they have stopped. */
  async #end(concerned: (order: TransferOrder) => boolean): Promise<void> {
    const ending = [...this.#active.values()].filter(({ order }) => concerned(order));
    for (const { controller } of ending) controller.abort();
    await Promise.all(ending.map(({ done }) => done));
  }

  /** Orders are signed for each request, so that a recorded one is recognised. */
  #isOurs(order: TransferOrder, nonce: string): boolean {
    const key = this.#options.publicKey();
    const isForUs = order.server_id === this.#options.serverId() && order.nonce === nonce;
    return key !== undefined && isForUs && isSignedBy(key, order);
  }

  /** Carries a transfer out; reports one that is finished again, because the service does not know of it yet. */
  #follow(order: TransferOrder): void {
    const controller = new AbortController();
    const outcome = this.#options.journal.finishedTransfers.find(order.id);
    const { signal } = controller;
    const work = outcome ? this.#settle(order, outcome, signal) : this.#carry(order, signal);
    const done = work.finally(() => this.#active.delete(order.id));
    this.#active.set(order.id, { order, controller, done });
  }

  /** Retries until the transfer completes, fails for good or is withdrawn. */
  async #carry(order: TransferOrder, signal: AbortSignal): Promise<void> {
    const { log } = this.#options;
    const backoff = new Backoff(PAUSES);
    const sending: Sending = { reading: undefined, open: (key) => this.#read(order, key, signal) };
    try {
      while (!signal.aborted) {
        try {
          await this.#try(order, sending, signal, backoff);
          return;
        } catch (error) {
          if (signal.aborted) return;
          if (!isPassing(error)) return await this.#giveUp(order, error as Error, signal);
          log.debug({ transfer: order.id, err: error }, 'transfer interrupted; it will be retried');
          await sleep(backoff.next(), undefined, { signal }).catch(() => undefined);
        }
      }
    } finally {
      sending.reading?.close();
    }
  }

  async #try(order: TransferOrder, sending: Sending, signal: AbortSignal, backoff: Backoff): Promise<void> {
    if (order.mode === 'discard') await this.#discard(order, signal);
    else if (order.role === 'send') await this.#send(order, sending, signal);
    else await this.#receive(order, signal, backoff);
  }

  async #send(order: TransferOrder, sending: Sending, signal: AbortSignal): Promise<void> {
    await this.#linked(order, signal, (link) => send(link, sending));
  }

  /** Opens the volume for one pass, which may span several connections. */
  #read(order: TransferOrder, key: Buffer | undefined, signal: AbortSignal): Promise<Reading> {
    const { engine, serverId, boundary, backups } = this.#options;
    return new Promise((opened, failed) => {
      const use = async (content: Readable) => {
        boundary?.(`${order.mode} read`);
        const reading = new Reading(content, key);
        // `reading` registered its listener first and has copied the piece by now, so the memory can be reused.
        content.on('data', guardedBy(failed, release));
        opened(reading);
        await reading.closed;
        // Destroy the stream, or the unread rest would keep its source waiting.
        content.destroy();
      };
      const read = order.backup
        ? readBackedUpVolume(backups, order, order.backup, use, signal)
        : readVolume({ engine, serverId: serverId(), volume: order.volume, signal }, use);
      read.catch(failed);
    });
  }

  /** Removes what a failed import left here. Keeps a volume that belongs to another definition by now. */
  async #discard(order: TransferOrder, signal: AbortSignal): Promise<void> {
    const { engine } = this.#options;
    const { volume, definition_id } = order;
    await this.#end(({ id, spool }) => spool === order.spool && id !== order.id);
    rmSync(join(this.#directory, order.spool), { recursive: true, force: true });
    const found = await engine.volume(volume);
    if (found?.labels[label.definition] === definition_id) await engine.removeVolume(volume);
    await this.#completed(order, { chunks: 0, bytes: 0, carried: 0 }, signal);
  }

  async #receive(order: TransferOrder, signal: AbortSignal, backoff: Backoff): Promise<void> {
    const { boundary } = this.#options;
    const spool = this.#spool(order);
    const reports = new Reports((report) => this.#report(order, report), signal);
    let begun = false;
    const received = await this.#linked(order, signal, (link) =>
      receive(link, {
        spool,
        import: order.mode === 'import' ? (content, stop) => this.#import(order, content, stop) : undefined,
        onProgress: (progress) => {
          if (!begun && progress.chunks > 0) boundary?.(`${order.mode} begun`);
          begun ||= progress.chunks > 0;
          backoff.reset();
          reports.note(progress);
        },
      }),
    );
    boundary?.(`${order.mode} received`);
    await this.#completed(order, received, signal);
  }

  /** The receiver alone reports completion. */
  async #completed(
    order: TransferOrder,
    { chunks, bytes, carried, sha256 }: Progress & Partial<Pick<Received, 'sha256'>>,
    signal: AbortSignal,
  ): Promise<void> {
    const whole = sha256 === undefined ? {} : { sha256 };
    await this.#finish(order, { status: 'completed', chunks, bytes, carried_bytes: carried, ...whole }, signal);
  }

  /** Remembers how a transfer ended, then reports it: a kill in between repeats the report, not the transfer. */
  async #finish(order: TransferOrder, outcome: TransferOutcome, signal: AbortSignal): Promise<void> {
    const { journal, log, boundary } = this.#options;
    try {
      journal.finishedTransfers.finish(order.id, outcome);
    } catch (error) {
      log.error({ transfer: order.id, err: error }, 'the end of a transfer could not be stored');
    }
    boundary?.(`${order.mode} finished`);
    await this.#settle(order, outcome, signal);
  }

  /** Reports the end of a transfer until the service accepts it, then removes what is no longer needed. */
  async #settle(order: TransferOrder, outcome: TransferOutcome, signal: AbortSignal): Promise<void> {
    const backoff = new Backoff(PAUSES);
    while (!signal.aborted) {
      try {
        await this.#report(order, outcome);
        break;
      } catch (error) {
        if (isRefusal(error)) break;
        await sleep(backoff.next(), undefined, { signal }).catch(() => undefined);
      }
    }
    this.#options.boundary?.(`${order.mode} reported`);
    if (order.mode === 'import' && outcome.status === 'completed') this.#spool(order).remove();
  }

  /** Imports into a new volume that no container uses; first removes what an earlier attempt left. */
  async #import(order: TransferOrder, content: AsyncIterable<Buffer>, signal: AbortSignal): Promise<void> {
    const { engine, serverId } = this.#options;
    const { volume, instance_uid: uid, definition_id } = order;
    const there = await engine.containers({ labels: { [label.managed]: 'true', [label.instance]: uid } });
    if (there.length > 0)
      throw new Error(`This server still has containers of ${uid}; remove them before importing their volume.`);
    const before = await engine.volume(volume);
    if (before !== undefined && (before.labels[label.definition] ?? definition_id) !== definition_id)
      throw new Error(`The volume ${volume} already exists on this server and belongs to another definition.`);
    const labels = labelsOf({ serverId: serverId(), uid, definitionId: definition_id });
    // Rejects a foreign volume of the same name before anything is removed.
    await engine.ensureVolume({ name: volume, labels, owner: ownerLabels });
    await engine.removeVolume(volume);
    await engine.ensureVolume({ name: volume, labels, owner: ownerLabels });
    await writeVolume({ engine, serverId: serverId(), volume, signal }, Readable.from(content, { objectMode: false }));
  }

  #spool({ id, spool, instance_uid }: TransferOrder): Spool {
    const directory = join(this.#directory, spool);
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    writeFileSync(join(directory, OWNER), instance_uid, { mode: 0o600 });
    return new Spool(directory, id);
  }

  async #linked<Result>(
    order: TransferOrder,
    signal: AbortSignal,
    work: (link: Link) => Promise<Result>,
  ): Promise<Result> {
    const { service } = this.#options;
    const link = await Link.open(service.baseUrl, service.key, order.id, signal, order.ticket);
    try {
      return await work(link);
    } finally {
      link.close();
    }
  }

  async #report({ id, ticket }: TransferOrder, report: TransferReport): Promise<void> {
    const body = ticket === undefined ? report : { ...report, ticket };
    await this.#options.service.call('transfers.report', { params: { id }, body });
  }

  async #giveUp(order: TransferOrder, error: Error, signal: AbortSignal): Promise<void> {
    this.#options.log.warn({ transfer: order.id, err: error }, 'transfer failed');
    await this.#finish(order, { status: 'failed', error: error.message.slice(0, 2_000) }, signal);
  }
}

const OWNER = 'instance';

function ownerOf(directory: string): string | undefined {
  const file = join(directory, OWNER);
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}

/**
 * Answers whether a retry can help: the connection, the service or the engine is temporarily unavailable, or a chunk
 * was damaged.
 */
const isPassing = (error: unknown): boolean =>
  error instanceof LinkLost ||
  error instanceof Damaged ||
  isEngineProblem(error, 'unreachable') ||
  isEngineProblem(error, 'timeout');

/** Reports progress at most once a second; completion is reported separately. */
class Reports {
  readonly #send: (report: TransferReport) => Promise<void>;
  readonly #signal: AbortSignal;
  #last = 0;
  #sending = false;

  constructor(send: (report: TransferReport) => Promise<void>, signal: AbortSignal) {
    this.#send = send;
    this.#signal = signal;
  }

  note({ chunks, bytes, carried }: Progress): void {
    if (this.#sending || this.#signal.aborted || Date.now() - this.#last < REPORT_EVERY_MS) return;
    this.#last = Date.now();
    this.#sending = true;
    this.#send({ status: 'running', chunks, bytes, carried_bytes: carried })
      // Ignore failures: the next report contains newer numbers.
      .catch(() => undefined)
      .finally(() => {
        this.#sending = false;
      });
  }
}
