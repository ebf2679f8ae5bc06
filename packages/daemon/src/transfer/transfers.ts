import type { KeyObject } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { guardedBy } from '@hortus/client/guard';
import { Link, LinkLost } from '@hortus/client/transfer/link';
import { Reading, type Sending, send } from '@hortus/client/transfer/sender';
import { release } from '@hortus/contract/frames';
import type { TransferOrder, TransferReport } from '@hortus/contract/resources/transfers';
import { transferContext } from '@hortus/template/sealing/contexts';
import { openFields } from '@hortus/template/sealing/sealed-fields';
import type { BackupStore } from '../backup/backup-store.ts';
import type { Engine } from '../engine/engine.ts';
import { isEngineProblem } from '../engine/engine-problem.ts';
import { Backoff } from '../link/backoff.ts';
import { isRefusal, type Service } from '../link/service.ts';
import type { Log } from '../log.ts';
import { label, ownerLabels } from '../plan/labels.ts';
import { isSignedBy } from '../trust/manifest-signature.ts';
import { readVolume, writeVolume } from '../volumes/volumes.ts';
import { readKeptVolume } from './kept-volume.ts';
import { type Progress, type Received, receive } from './receiver.ts';
import { Damaged, Spool } from './spool.ts';

export interface TransfersOptions {
  engine: Engine;
  service: Service;
  stateDirectory: string;
  serverId(): string;
  /** Of the service; without one no order is believed. */
  publicKey(): KeyObject | undefined;
  /** Opens the keys of backups. */
  privateKey: KeyObject;
  log: Log;
  /** Where backups are, for what is fetched from them. */
  backups: BackupStore;
  /** For tests, which end the process at a chosen moment. */
  boundary?: ((moment: string) => void) | undefined;
}

const REPORT_EVERY_MS = 1_000;
const PAUSES = { firstMs: 200, mostMs: 5_000 };

/** Carries out this server's end of transfers, over as many connections and lives of the daemon as it takes. */
export class Transfers {
  readonly #options: TransfersOptions;
  readonly #directory: string;
  readonly #active = new Map<string, { order: TransferOrder; controller: AbortController; done: Promise<void> }>();

  constructor(options: TransfersOptions) {
    this.#options = options;
    this.#directory = join(options.stateDirectory, 'transfers');
  }

  /** Takes up what is new and gives up what nobody wants any more. Rejects when the service does not answer. */
  async look(): Promise<void> {
    const { service, log } = this.#options;
    const { data } = await service.call('transfers.pending', { query: { per_page: 100 } });
    const wanted = new Set(data.map(({ id }) => id));
    for (const [id, { controller }] of this.#active) if (!wanted.has(id)) controller.abort();
    for (const { order } of data) {
      if (!order || this.#active.has(order.id)) continue;
      if (!this.#isOurs(order))
        log.error('an order to carry a volume is not signed by our service and is refused', { transfer: order.id });
      else this.#follow(openFields(order, this.#options.privateKey, transferContext(order)));
    }
  }

  /** An instance is cleared away: nothing of it is received any more, and what has come goes. */
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

  /** Gives up those of a kind, and returns when nothing of them is under way. */
  async #end(concerned: (order: TransferOrder) => boolean): Promise<void> {
    const ending = [...this.#active.values()].filter(({ order }) => concerned(order));
    for (const { controller } of ending) controller.abort();
    await Promise.all(ending.map(({ done }) => done));
  }

  #isOurs(order: TransferOrder): boolean {
    const key = this.#options.publicKey();
    return key !== undefined && order.server_id === this.#options.serverId() && isSignedBy(key, order);
  }

  #follow(order: TransferOrder): void {
    const controller = new AbortController();
    const done = this.#carry(order, controller.signal).finally(() => this.#active.delete(order.id));
    this.#active.set(order.id, { order, controller, done });
  }

  /** Goes on until it is done, cannot be done, or is not wanted any more. */
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
          if (!isPassing(error)) return await this.#giveUp(order, error as Error);
          log.debug('a transfer has to wait', { transfer: order.id, error: error as Error });
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

  /** The volume stays open for as long as the reading is, over however many connections. */
  #read(order: TransferOrder, key: Buffer | undefined, signal: AbortSignal): Promise<Reading> {
    const { engine, serverId, boundary, backups } = this.#options;
    return new Promise((opened, failed) => {
      const use = async (content: Readable) => {
        boundary?.(`${order.mode} read`);
        const reading = new Reading(content, key);
        // It has copied what it heard of by now.
        content.on('data', guardedBy(failed, release));
        opened(reading);
        await reading.closed;
        // What nobody reads any more must not keep waiting to be read.
        content.destroy();
      };
      const read = order.backup
        ? readKeptVolume(backups, order, order.backup, use, signal)
        : readVolume({ engine, serverId: serverId(), volume: order.volume, signal }, use);
      read.catch(failed);
    });
  }

  /** What an import that came to nothing has put here goes, and nothing else: not a volume that is another's by now. */
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
    boundary?.(`${order.mode} reported`);
    if (order.mode === 'import') spool.remove();
  }

  /** The service must hear of it: nobody else knows. */
  async #completed(
    order: TransferOrder,
    { chunks, bytes, carried, sha256 }: Progress & Partial<Pick<Received, 'sha256'>>,
    signal: AbortSignal,
  ): Promise<void> {
    const backoff = new Backoff(PAUSES);
    while (!signal.aborted) {
      try {
        const whole = sha256 === undefined ? {} : { sha256 };
        await this.#report(order, { status: 'completed', chunks, bytes, carried_bytes: carried, ...whole });
        return;
      } catch (error) {
        if (isRefusal(error)) return;
        await sleep(backoff.next(), undefined, { signal }).catch(() => undefined);
      }
    }
  }

  /** Into a volume of its own, that nothing runs on: what an earlier attempt left in it goes first. */
  async #import(order: TransferOrder, content: AsyncIterable<Buffer>, signal: AbortSignal): Promise<void> {
    const { engine, serverId } = this.#options;
    const { volume, instance_uid: uid, definition_id } = order;
    const there = await engine.containers({ labels: { [label.managed]: 'true', [label.instance]: uid } });
    if (there.length > 0) throw new Error(`Containers of ${uid} are on this server; their volume is not replaced.`);
    const before = await engine.volume(volume);
    if (before !== undefined && (before.labels[label.definition] ?? definition_id) !== definition_id)
      throw new Error(`The volume ${volume} is on this server and belongs to another definition.`);
    const labels = {
      [label.managed]: 'true',
      [label.server]: serverId(),
      [label.instance]: uid,
      [label.definition]: definition_id,
    };
    // Foreign volumes of the same name are refused before anything is removed.
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
    const link = await Link.open(service.baseUrl, service.key, order.id, signal);
    try {
      return await work(link);
    } finally {
      link.close();
    }
  }

  async #report({ id }: TransferOrder, body: TransferReport): Promise<void> {
    await this.#options.service.call('transfers.report', { params: { id }, body });
  }

  async #giveUp(order: TransferOrder, error: Error): Promise<void> {
    this.#options.log.warn('a transfer cannot be done', { transfer: order.id, error });
    await this.#report(order, { status: 'failed', error: error.message.slice(0, 2_000) }).catch((cause: Error) =>
      this.#options.log.debug('that a transfer failed could not be reported', { transfer: order.id, error: cause }),
    );
  }
}

const OWNER = 'instance';

function ownerOf(directory: string): string | undefined {
  const file = join(directory, OWNER);
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}

/** What goes away by itself: a connection, a service or an engine that is away for a while. */
const isPassing = (error: unknown): boolean =>
  error instanceof LinkLost ||
  error instanceof Damaged ||
  isEngineProblem(error, 'unreachable') ||
  isEngineProblem(error, 'timeout');

/** Tells of progress, seldom; the last word is said by others. */
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
      // Nobody needs to know that nobody was told: the next one says more.
      .catch(() => undefined)
      .finally(() => {
        this.#sending = false;
      });
  }
}
