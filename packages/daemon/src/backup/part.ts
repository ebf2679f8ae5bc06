import { createHash } from 'node:crypto';
import { PassThrough, type Readable, Transform, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { constants, createZstdCompress, createZstdDecompress } from 'node:zlib';
import type { BackupPart } from '@hortus/contract/resources/backup-records';
import type { BackupPlace, BackupStore } from './backup-store.ts';
import { DamagedPart, openPart, type PartIdentity, sealPart } from './sealed-part.ts';

/** A backup in a store, with its key. */
export interface Vessel {
  store: BackupStore;
  place: BackupPlace;
  key: Buffer;
  signal?: AbortSignal | undefined;
}

export type PartName = Pick<BackupPart, 'kind' | 'name'>;
type Written = Omit<BackupPart, 'entries'>;

export const volumeParts = (parts: readonly BackupPart[]) => parts.filter(({ kind }) => kind === 'volume');

const wordsFor = ({ kind, name }: PartName): string => (kind === 'volume' ? `volume ${name}` : `the output of ${name}`);

const identityOf = ({ key, place }: Vessel, file: string): PartIdentity => ({
  backupKey: key,
  backupId: place.backupId,
  file,
});

/** Compresses, seals and stores the content; keeps only a few chunks in memory. */
export async function writePart(vessel: Vessel, { kind, name }: PartName, content: Readable): Promise<Written> {
  const { store, place, signal } = vessel;
  const file = `${kind}-${name}.part`;
  const plain = new Counter();
  const compress = createZstdCompress({ params: { [constants.ZSTD_c_compressionLevel]: 3 } });
  let chunks = 0;
  const seal = (source: AsyncIterable<Buffer>) => sealPart(identityOf(vessel, file), source, () => chunks++);
  const stored = new Counter();
  const end = new PassThrough();
  await Promise.all([
    pipeline(content, plain, compress, seal, stored, end, signal === undefined ? {} : { signal }),
    store.write(place, file, end),
  ]);
  return {
    kind,
    name,
    file,
    bytes: plain.bytes,
    stored_bytes: stored.bytes,
    chunks,
    sha256: stored.digest(),
  };
}

/** Streams a stored part to `use`. Any damage rejects with a DamagedPart, at the latest at the end of the stream. */
export async function readPart<Result>(
  vessel: Vessel,
  part: BackupPart,
  use: (content: Readable) => Promise<Result>,
): Promise<Result> {
  const { store, place, signal } = vessel;
  const what = wordsFor(part);
  const source = await store.read(place, part.file).catch((error: Error) => {
    throw new DamagedPart(`The backup of ${what} cannot be read: ${error.message}.`);
  });
  const stored = new Counter();
  const open = (sealed: AsyncIterable<Buffer>) => openPart(identityOf(vessel, part.file), what, sealed);
  const plain = new Counter(() => {
    // Checked before the reader sees the end of the stream.
    const wrong = stored.digest() !== part.sha256 || stored.bytes !== part.stored_bytes || plain.bytes !== part.bytes;
    return wrong ? new DamagedPart(`The backup of ${what} does not match its manifest.`) : undefined;
  });
  const read = pipeline(source, stored, open, createZstdDecompress(), plain, signal === undefined ? {} : { signal });
  const [outcome, used] = await Promise.allSettled([read, use(plain)]);
  // Throw the original error, not its consequence in the other stream.
  if (outcome.status === 'rejected' && !isConsequence(outcome.reason)) throw outcome.reason;
  if (used.status === 'rejected') throw used.reason;
  if (outcome.status === 'rejected') throw outcome.reason;
  return used.value;
}

/** Reads a part to its end to verify it. */
export async function checkPart(vessel: Vessel, part: BackupPart): Promise<void> {
  await readPart(vessel, part, (content) => pipeline(content, new Writable({ write: (_, __, done) => done() })));
}

const isConsequence = (error: unknown): boolean =>
  (error as NodeJS.ErrnoException).code === 'ERR_STREAM_PREMATURE_CLOSE';

/** Counts and hashes the bytes that pass. */
class Counter extends Transform {
  readonly #hash = createHash('sha256');
  readonly #judge: () => Error | undefined;
  #digest: string | undefined;
  bytes = 0;

  constructor(judge: () => Error | undefined = () => undefined) {
    super();
    this.#judge = judge;
  }

  override _transform(chunk: Buffer, _: BufferEncoding, done: (error: null, chunk: Buffer) => void): void {
    this.#hash.update(chunk);
    this.bytes += chunk.length;
    done(null, chunk);
  }

  override _flush(done: (error?: Error | null) => void): void {
    done(this.#judge() ?? null);
  }

  digest(): string {
    this.#digest ??= this.#hash.digest('hex');
    return this.#digest;
  }
}
