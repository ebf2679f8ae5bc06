import type { LogOrder, StreamedLine } from '@hortus/contract/channel/streams';
import { Problem } from '../../problem.ts';
import type { Guard } from '../../process/guard.ts';
import type { DaemonStreams } from '../../streams/daemon-streams.ts';
import type { SocketStream } from '../../streams/socket-stream.ts';
import { readMessage } from './line-record.ts';
import type { LogTarget } from './target.ts';

export type ReadOrder = Omit<Extract<LogOrder, { mode: 'read' }>, 'mode'>;

export interface LogPage {
  readonly lines: readonly StreamedLine[];
  /** Whether there are further lines in the direction of reading. */
  readonly more: boolean;
  /** Position of the last line of the instance. */
  readonly end: number;
  /** Lines after `after` that the daemon no longer has. */
  readonly dropped: number;
}

const WITHIN_MS = 30_000;
/** Bytes of one page; the daemon sends less. */
const MAX_BYTES = 16 * 1024 * 1024;

/** Reads pages of logs from daemons. Equal reads at the same time share one. */
export class LogPages {
  readonly #streams: Pick<DaemonStreams, 'open'>;
  readonly #guard: Guard;
  readonly #reading = new Map<string, Promise<LogPage>>();

  constructor(streams: Pick<DaemonStreams, 'open'>, guard: Guard) {
    this.#streams = streams;
    this.#guard = guard;
  }

  read(target: LogTarget, order: ReadOrder): Promise<LogPage> {
    const key = JSON.stringify([target.serverId, target.instance, order]);
    let page = this.#reading.get(key);
    if (!page) {
      page = this.#read(target, order).finally(() => this.#reading.delete(key));
      this.#reading.set(key, page);
    }
    return page;
  }

  async #read(target: LogTarget, order: ReadOrder): Promise<LogPage> {
    const stream = await this.#streams.open({ ...target, kind: 'logs', order: { mode: 'read', ...order } });
    try {
      return await this.#collect(stream, order);
    } finally {
      stream.close();
    }
  }

  #collect(stream: SocketStream, order: ReadOrder): Promise<LogPage> {
    return new Promise((resolve, reject) => {
      const lines: StreamedLine[] = [];
      let bytes = 0;
      const lost = () => {
        clearTimeout(timer);
        reject(interrupted());
      };
      const timer = setTimeout(this.#guard(lost), WITHIN_MS);
      stream.signal.addEventListener('abort', this.#guard(lost), { once: true });
      stream.listen((data) => {
        try {
          bytes += data.length;
          const message = readMessage(data);
          if ('lines' in message) lines.push(...message.lines);
          if (bytes > MAX_BYTES || lines.length > order.limit) throw interrupted();
          if (!('end' in message)) return;
          clearTimeout(timer);
          const { more, end, dropped = 0 } = message;
          resolve({ lines, more, end, dropped });
        } catch (error) {
          clearTimeout(timer);
          reject(error);
          stream.close();
        }
      });
    });
  }
}

const interrupted = (): Problem =>
  new Problem('SERVER_ERROR', 'The connection to the daemon of the server was lost while it sent the log. Try again.', {
    reason: 'no_stream',
  });
