import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { CHUNKS_UNDER_WAY, type FromReceiver } from '@hortus/contract/protocol/transfer';
import { ChunkMemory } from './chunk-memory.ts';
import { keyIn } from './chunk-name.ts';
import { Chunks } from './chunks.ts';
import type { NamedChunk } from './cut.ts';
import type { Link } from './link.ts';

interface Chunk extends NamedChunk {
  readonly index: number;
}

/**
 * One pass over a volume. It outlives connections: chunks that were read but not acknowledged are kept, so a reconnect
 * costs nothing. A daemon restart costs a second pass, which does not resend chunks that the other end has. No spool is
 * needed: chunks are identified by name, so the second pass may differ from the first.
 */
export class Reading {
  readonly #memory = new ChunkMemory();
  readonly #chunks: Chunks;
  readonly #key: Buffer | undefined;
  readonly #under: Chunk[] = [];
  readonly #digest = createHash('sha256');
  readonly #closing = Promise.withResolvers<void>();
  #read = 0;
  #bytes = 0;
  #ended: { chunks: number; bytes: number; sha256: string } | undefined;

  /** `key` is used for the names of the chunks. */
  constructor(tar: Readable, key: Buffer | undefined) {
    this.#chunks = new Chunks(tar, key, this.#memory);
    this.#key = key;
  }

  /** Answers whether this pass used the receiver's key for its names. */
  isNamedBy(key: Buffer | undefined): boolean {
    return key === undefined ? this.#key === undefined : this.#key?.equals(key) === true;
  }

  /** Chunks that were read but not acknowledged. */
  get underWay(): readonly Chunk[] {
    return this.#under;
  }

  get acknowledged(): number {
    return this.#under[0]?.index ?? this.#read;
  }

  get end() {
    return this.#ended;
  }

  chunk(index: number): Chunk | undefined {
    return this.#under.find((chunk) => chunk.index === index);
  }

  acknowledge(count: number): void {
    while (this.#under[0] && this.#under[0].index < count) {
      // A dead connection may still be sending from this buffer; its output is discarded anyway.
      this.#memory.giveBack((this.#under.shift() as Chunk).bytes);
    }
  }

  /** Undefined at the end. */
  async next(): Promise<Chunk | undefined> {
    const next = await this.#chunks.next();
    if (!next) {
      this.#ended ??= { chunks: this.#read, bytes: this.#bytes, sha256: this.#digest.digest('hex') };
      return undefined;
    }
    const chunk = { index: this.#read++, ...next };
    this.#digest.update(chunk.name);
    this.#bytes += chunk.bytes.length;
    this.#under.push(chunk);
    return chunk;
  }

  /** Resolves when the pass is closed and the volume can be released. */
  get closed(): Promise<void> {
    return this.#closing.promise;
  }

  /** Ends the pass and releases the volume. */
  close(): void {
    this.#closing.resolve();
  }
}

export interface Sending {
  /** Pass of an earlier connection. */
  reading: Reading | undefined;
  /** Starts a new pass, with chunk names by this key. */
  open(key: Buffer | undefined): Promise<Reading>;
}

/** Sends over one connection until the other end confirms the whole content. */
export async function send(link: Link, sending: Sending): Promise<void> {
  const received = link.received();
  const next = await expected(received, 'next');
  const reading = await resumed(sending, next.index, keyIn(next));
  if (reading.acknowledged === 0) link.say({ type: 'begin' });
  for (const chunk of reading.underWay) offer(link, reading, chunk);
  const room = new Room(reading);
  const pump = offerAll(link, reading, room);
  const responses = serveAll(link, reading, room, received);
  try {
    await Promise.all([pump, responses]);
  } finally {
    room.break();
    // A chunk being read now belongs to the next connection.
    await pump.catch(() => undefined);
  }
}

/** Continues the earlier pass if it still holds what the receiver needs next; otherwise starts a new one. */
async function resumed(sending: Sending, placed: number, key: Buffer | undefined): Promise<Reading> {
  const { reading } = sending;
  const isBehind =
    reading && placed >= reading.acknowledged && placed <= reading.acknowledged + reading.underWay.length;
  if (isBehind && reading.isNamedBy(key)) {
    reading.acknowledge(placed);
    return reading;
  }
  reading?.close();
  sending.reading = await sending.open(key);
  return sending.reading;
}

async function offerAll(link: Link, reading: Reading, room: Room): Promise<void> {
  for (;;) {
    await room.free();
    const chunk = await reading.next();
    if (!chunk) return room.check();
    offer(link, reading, chunk);
  }
}

function offer(link: Link, reading: Reading, { index, name, bytes }: Chunk): void {
  const named = reading.isNamedBy(undefined) ? { sha256: name } : { mac: name };
  link.say({ type: 'offer', index, ...named, length: bytes.length });
}

async function serveAll(link: Link, reading: Reading, room: Room, received: AsyncIterator<unknown>): Promise<void> {
  room.whenDone(() => {
    if (reading.end) link.say({ type: 'end', ...reading.end });
  });
  for (;;) {
    const message = (await received.next()).value as FromReceiver;
    if (message.type === 'want') await give(link, reading.chunk(message.index));
    if (message.type === 'have') {
      reading.acknowledge(message.index + 1);
      room.check();
    }
    if (message.type === 'done') {
      if (message.sha256 !== reading.end?.sha256) throw new Error('The other end received different content.');
      return;
    }
  }
}

async function give(link: Link, chunk: Chunk | undefined): Promise<void> {
  if (!chunk) throw new Error('The other end wants a chunk that was never offered.');
  await link.give(chunk.bytes);
}

async function expected<Type extends FromReceiver['type']>(received: AsyncIterator<unknown>, type: Type) {
  const { value } = await received.next();
  const message = value as FromReceiver;
  if (message?.type !== type) throw new Error(`The other end sent ${message?.type} instead of ${type}.`);
  return message as Extract<FromReceiver, { type: Type }>;
}

/** Limits the chunks in flight, and notices when all of them were acknowledged. */
class Room {
  readonly #reading: Reading;
  #waiting: ((error?: Error) => void) | undefined;
  #done: (() => void) | undefined;
  #broken: Error | undefined;

  constructor(reading: Reading) {
    this.#reading = reading;
  }

  async free(): Promise<void> {
    while (this.#reading.underWay.length >= CHUNKS_UNDER_WAY) {
      if (this.#broken) throw this.#broken;
      await new Promise<void>((done, fail) => {
        this.#waiting = (error) => (error ? fail(error) : done());
      });
    }
    if (this.#broken) throw this.#broken;
  }

  whenDone(done: () => void): void {
    this.#done = done;
    this.check();
  }

  check(): void {
    this.#waiting?.();
    if (!this.#reading.end || this.#reading.underWay.length > 0) return;
    this.#done?.();
    this.#done = undefined;
  }

  break(): void {
    this.#broken = new Error('The connection was closed.');
    this.#waiting?.(this.#broken);
  }
}
