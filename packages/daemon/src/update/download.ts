import { createHash, type Hash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { guardedBy } from '@hortus/contract/runtime/guarded-by';
import { Backoff } from '../concurrency/backoff.ts';
import { UpdateRefusal } from './update-refusal.ts';

export interface DownloadOptions {
  readonly url: string;
  /** Current server key. */
  key(): string;
  readonly size: number;
  readonly sha256: string;
  /** File that holds what was received so far; kept after a failure, so that the next attempt continues it. */
  readonly file: string;
  readonly signal: AbortSignal;
  onProgress?(received: number): void;
  /** Time for all attempts, and the longest silence of the service in one. */
  readonly withinMs?: number;
  readonly silenceMs?: number;
  readonly backoff?: { firstMs: number; maxMs: number };
}

/**
 * Downloads a file in chunks, continues after interruptions, and returns once its size and checksum are right and it is on disk.
 * Never writes more than the ordered size, whatever the service sends.
 */
export async function download(options: DownloadOptions): Promise<void> {
  const { file, signal, sha256, withinMs = 30 * 60_000, backoff: times = { firstMs: 1_000, maxMs: 30_000 } } = options;
  const deadline = performance.now() + withinMs;
  const backoff = new Backoff(times);
  await using handle = await open(file, 'a+', 0o600);
  const part = await Part.resume(handle, options.size);
  while (part.received < options.size) {
    const before = part.received;
    try {
      await attempt(part, options);
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof UpdateRefusal || isDiskTrouble(error)) throw error;
      if (part.received > before) backoff.reset();
      if (performance.now() > deadline)
        throw new UpdateRefusal('download_failed', `The binary could not be downloaded: ${(error as Error).message}`);
      await sleep(backoff.next(), undefined, { signal });
    }
  }
  const found = part.hash.digest('hex');
  if (found !== sha256) {
    await handle.truncate(0);
    throw new UpdateRefusal('wrong_checksum', `The downloaded binary has the sha256 ${found}, not ${sha256}.`);
  }
  await handle.sync();
}

/** What was received so far, with its running checksum. */
class Part {
  readonly handle: FileHandle;
  hash: Hash = createHash('sha256');
  received = 0;

  private constructor(handle: FileHandle) {
    this.handle = handle;
  }

  static async resume(handle: FileHandle, size: number): Promise<Part> {
    const part = new Part(handle);
    const { size: kept } = await handle.stat();
    if (kept > size) await part.restart();
    else if (kept > 0)
      for await (const piece of handle.createReadStream({ start: 0, end: kept - 1, autoClose: false })) {
        part.hash.update(piece as Buffer);
        part.received += (piece as Buffer).length;
      }
    return part;
  }

  async restart(): Promise<void> {
    await this.handle.truncate(0);
    this.hash = createHash('sha256');
    this.received = 0;
  }

  async append(piece: Uint8Array): Promise<void> {
    for (let written = 0; written < piece.length; ) {
      const { bytesWritten } = await this.handle.write(piece, written);
      written += bytesWritten;
    }
    this.hash.update(piece);
    this.received += piece.length;
  }
}

async function attempt(
  part: Part,
  { url, key, size, sha256, signal, silenceMs = 60_000, onProgress }: DownloadOptions,
) {
  const silence = new AbortController();
  const silent = () => silence.abort(new Error(`the service sent nothing for ${silenceMs / 1000} s`));
  const timer = setTimeout(
    guardedBy((error) => silence.abort(error), silent),
    silenceMs,
  );
  try {
    const { received } = part;
    const response = await fetch(url, {
      headers: {
        authorization: `Bearer ${key()}`,
        // The entity tag of a binary is its checksum.
        ...(received > 0 && { range: `bytes=${received}-`, 'if-range': `"${sha256}"` }),
      },
      // Another host must not see the server key.
      redirect: 'error',
      signal: AbortSignal.any([signal, silence.signal]),
    });
    if (response.status === 200) await part.restart();
    else if (response.status !== 206) await unexpected(response);
    else if (!response.headers.get('content-range')?.startsWith(`bytes ${received}-`)) await part.restart();
    const length = Number(response.headers.get('content-length') ?? size - part.received);
    if (part.received + length !== size) {
      await response.body?.cancel();
      throw new UpdateRefusal(
        'wrong_size',
        `The service sends ${part.received + length} bytes, but the order says ${size}.`,
      );
    }
    for await (const piece of response.body ?? []) {
      timer.refresh();
      if (part.received + piece.length > size)
        throw new UpdateRefusal('wrong_size', `The service sends more than the ${size} bytes of the order.`);
      await part.append(piece);
      onProgress?.(part.received);
    }
    if (part.received < size) throw new Error('the connection ended early');
  } finally {
    clearTimeout(timer);
  }
}

/** Statuses that a retry does not change are refusals; others are retried. */
async function unexpected(response: Response): Promise<never> {
  await response.body?.cancel();
  const { status } = response;
  if (status === 404)
    throw new UpdateRefusal(
      'download_failed',
      'The service has no binary for this platform any more; publish it again.',
    );
  throw new Error(`the service answered ${status}`);
}

const isDiskTrouble = (error: unknown): boolean =>
  ['ENOSPC', 'EDQUOT', 'EROFS', 'EACCES', 'EPERM', 'EIO'].includes((error as NodeJS.ErrnoException).code ?? '');
