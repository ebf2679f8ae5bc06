import { createHash, randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { Incoming } from '@hortus/client/transfer/incoming';
import { Link, LinkLost } from '@hortus/client/transfer/link';
import { Reading, type Sending, send } from '@hortus/client/transfer/sender';
import { TRANSFER_PROTOCOL } from '@hortus/contract/protocol/transfer';
import { temporaryFolder } from '@hortus/testkit/temporary-folder';
import { afterEach, expect, test } from 'vitest';
import { type Progress, receive } from './receiver.ts';
import { Spool } from './spool.ts';

/** Stands in for the service between two ends: forwards bytes, and cuts both connections after a given number. */
class Between implements AsyncDisposable {
  readonly #server: Server = createServer();
  readonly #ends: Socket[] = [];
  carried = 0;
  /** Position of a byte to corrupt, once. */
  spoil = Number.POSITIVE_INFINITY;
  #cutAt = Number.POSITIVE_INFINITY;

  async open(): Promise<this> {
    this.#server.on('upgrade', (_request, socket) => this.#join(socket as Socket));
    await new Promise<void>((done) => this.#server.listen(0, '127.0.0.1', done));
    return this;
  }

  link(signal = new AbortController().signal): Promise<Link> {
    const { port } = this.#server.address() as AddressInfo;
    return Link.open(`http://127.0.0.1:${port}/api/v1`, 'key', 'trf_1', signal);
  }

  /** Cuts the connections after so many more bytes, most likely within a record. */
  cutAfter(bytes: number): void {
    this.#cutAt = this.carried + bytes;
  }

  #join(end: Socket): void {
    end.pause();
    end.on('error', () => undefined);
    end.write(`HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${TRANSFER_PROTOCOL}\r\n\r\n`);
    const [other] = this.#ends.splice(0);
    if (!other) {
      this.#ends.push(end);
      return;
    }
    for (const [from, to] of [
      [end, other],
      [other, end],
    ] as const) {
      from.on('data', (bytes: Buffer) => {
        const before = this.carried;
        this.carried += bytes.length;
        if (this.carried > this.spoil) {
          bytes[this.spoil - before] = (bytes[this.spoil - before] as number) ^ 1;
          this.spoil = Number.POSITIVE_INFINITY;
        }
        to.write(bytes.subarray(0, Math.max(0, this.#cutAt - before)));
        if (this.carried >= this.#cutAt) for (const socket of [from, to]) socket.end();
      });
      // When one end closes, close the other.
      from.on('end', () => from.end());
      from.on('close', () => to.end());
      from.resume();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const end of this.#ends) end.destroy();
    this.#server.closeAllConnections();
    await new Promise((done) => this.#server.close(done));
  }
}

const folders: { remove(): Promise<void> }[] = [];
afterEach(async () => {
  for (const folder of folders.splice(0)) await folder.remove();
});
function spoolFolder(): string {
  const folder = temporaryFolder('spool');
  folders.push(folder);
  return join(folder.path, 'spool');
}

async function* once(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += 100_000) yield bytes.subarray(at, at + 100_000);
}

interface Ends {
  readonly between: Between;
  readonly content: Buffer;
  readonly directory: string;
  readonly transfer?: string;
  readonly sending?: Sending;
  readonly into?: (content: AsyncIterable<Buffer>) => Promise<void>;
}

const reading = (content: Buffer): Sending => ({
  reading: undefined,
  open: async (key) => new Reading(Readable.from(once(content)), key),
});

async function carry({ between, content, directory, transfer = 'trf_1', sending = reading(content), into }: Ends) {
  const [from, to] = await Promise.all([between.link(), between.link()]);
  const seen: Progress[] = [];
  const spool = new Spool(directory, transfer);
  const receiving = { spool, import: into, onProgress: (progress: Progress) => void seen.push(progress) };
  const [sent, received] = await Promise.allSettled([
    send(from, sending).finally(() => from.close()),
    receive(to, receiving).finally(() => to.close()),
  ]);
  if (received.status === 'rejected') throw received.reason;
  if (sent.status === 'rejected') throw sent.reason;
  return { ...received.value, seen };
}

async function contentOf(directory: string, transfer = 'trf_1'): Promise<Buffer> {
  const spool = new Spool(directory, transfer);
  return Buffer.concat(await Promise.all(spool.placed.map((chunk) => spool.read(chunk))));
}

test('content arrives at the other end and is imported while it arrives', async () => {
  await using between = await new Between().open();
  const content = randomBytes(21_000_000);
  const imported: Buffer[] = [];
  const directory = spoolFolder();
  const into = async (pieces: AsyncIterable<Buffer>) => {
    for await (const piece of pieces) imported.push(piece);
  };
  const received = await carry({ between, content, directory, into });
  expect(received).toMatchObject({ bytes: content.length, carried: content.length, chunks: 6 });
  expect(Buffer.concat(imported).equals(content)).toBe(true);
});

test('an empty transfer works', async () => {
  await using between = await new Between().open();
  expect(await carry({ between, content: Buffer.alloc(0), directory: spoolFolder() })).toMatchObject({
    chunks: 0,
    bytes: 0,
  });
});

test('acknowledged chunks are not sent again after a lost connection', async () => {
  await using between = await new Between().open();
  const content = randomBytes(30_000_000);
  const directory = spoolFolder();
  const sending = reading(content);
  let opened = 0;
  const open = (key: Buffer | undefined) => {
    opened++;
    return sending.open(key);
  };
  const counted = { ...sending, open };
  let lost = 0;
  for (;;) {
    between.cutAfter(5_000_000 + 2_000_000 * lost);
    try {
      await carry({ between, content, directory, sending: counted });
      break;
    } catch (error) {
      expect(error).toBeInstanceOf(LinkLost);
      lost++;
    }
  }
  expect(lost).toBeGreaterThan(2);
  expect(opened).toBe(1);
  expect((await contentOf(directory)).equals(content)).toBe(true);
  // Only chunks in flight may be sent twice each time.
  expect(between.carried).toBeLessThan(content.length + lost * 5 * 4_194_304);
});

test('a restarted sender reads again, but arrived chunks are not sent again', async () => {
  await using between = await new Between().open();
  const content = randomBytes(30_000_000);
  const directory = spoolFolder();
  between.cutAfter(15_000_000);
  await expect(carry({ between, content, directory })).rejects.toThrow(LinkLost);
  const arrived = new Spool(directory, 'trf_1').placed.length;
  expect(arrived).toBeGreaterThan(1);
  between.cutAfter(Number.POSITIVE_INFINITY);
  const { carried } = await carry({ between, content, directory });
  expect(carried).toBeLessThanOrEqual(content.length - arrived * 4_194_304);
  expect((await contentOf(directory)).equals(content)).toBe(true);
});

test('a second copy sends only what changed since the first', async () => {
  await using between = await new Between().open();
  const content = randomBytes(20_000_000);
  const directory = spoolFolder();
  await carry({ between, content, directory });
  content[9_000_000] = (content[9_000_000] ?? 0) ^ 1;
  const second = await carry({ between, content, directory, transfer: 'trf_2' });
  expect(second).toMatchObject({ bytes: content.length, carried: 4_194_304 });
  expect((await contentOf(directory, 'trf_2')).equals(content)).toBe(true);
});

test('a chunk damaged on the disk of the target is detected and requested again', async () => {
  await using between = await new Between().open();
  const content = randomBytes(9_000_000);
  const directory = spoolFolder();
  await carry({ between, content, directory });
  const [first] = new Spool(directory, 'trf_1').placed;
  writeFileSync(join(directory, first?.name ?? ''), 'spoilt');
  await expect(contentOf(directory)).rejects.toThrow('damaged on the disk');
  expect(await carry({ between, content, directory })).toMatchObject({ carried: 4_194_304 });
  expect((await contentOf(directory)).equals(content)).toBe(true);
});

test('a failed import ends the transfer with its error', async () => {
  await using between = await new Between().open();
  const into = () => Promise.reject(new Error('no space left'));
  const content = randomBytes(40_000_000);
  await expect(carry({ between, content, directory: spoolFolder(), into })).rejects.toThrow('no space left');
  // The transfer stops early.
  expect(between.carried).toBeLessThan(20_000_000);
});

test('a receiver without storage gets every byte once, across lost connections and a restarted sender', async () => {
  await using between = await new Between().open();
  // Includes equal pieces: a delivered chunk must not be taken for a later one.
  const content = Buffer.concat([randomBytes(9_000_000), Buffer.alloc(9_000_000), randomBytes(5_000_000)]);
  const incoming = new Incoming();
  const got: Buffer[] = [];
  let sending = reading(content);
  for (let attempt = 0; ; attempt++) {
    between.cutAfter(attempt < 6 ? 3_000_000 + 500_000 * attempt : Number.POSITIVE_INFINITY);
    // Every other time the sender restarts without its state.
    if (attempt % 2 === 1) sending = reading(content);
    const [from, to] = await Promise.all([between.link(), between.link()]);
    const take = async () => {
      for await (const chunk of incoming.over(to)) got.push(chunk);
    };
    const ends = await Promise.allSettled([
      send(from, sending).finally(() => from.close()),
      take().finally(() => to.close()),
    ]);
    const failed = ends.find((end) => end.status === 'rejected');
    if (!failed) break;
    expect(failed.reason).toBeInstanceOf(LinkLost);
    expect(attempt).toBeLessThan(7);
  }
  expect(Buffer.concat(got).equals(content)).toBe(true);
  expect(incoming.progress.bytes).toBe(content.length);
});

const sha256 = (bytes: Buffer | string) => createHash('sha256').update(bytes).digest('hex');

test('a receiver of an older version without keys is offered SHA-256 names', async () => {
  await using between = await new Between().open();
  const content = randomBytes(9_000_000);
  const [from, to] = await Promise.all([between.link(), between.link()]);
  const sent = send(from, reading(content)).finally(() => from.close());
  const names: string[] = [];
  const got: Buffer[] = [];
  to.say({ type: 'next', index: 0 });
  let due = 0;
  for await (const message of to.received()) {
    if (Buffer.isBuffer(message)) {
      got.push(Buffer.from(message));
      const have = Buffer.concat(got).length;
      while (due < names.length && have >= Math.min(content.length, (due + 1) * 4_194_304))
        to.say({ type: 'have', index: due++ });
    } else if (message.type === 'offer') {
      names.push(message.sha256 ?? '');
      expect(message).not.toHaveProperty('mac');
      to.say({ type: 'want', index: message.index });
    } else if (message.type === 'end') {
      to.say({ type: 'done', sha256: message.sha256 });
      expect(message.sha256).toBe(sha256(names.join('')));
      break;
    }
  }
  await sent;
  to.close();
  expect(Buffer.concat(got).equals(content)).toBe(true);
  const chunks = [0, 1, 2].map((i) => content.subarray(i * 4_194_304, (i + 1) * 4_194_304));
  expect(names).toEqual(chunks.map(sha256));
});

test('a sender of an older version without keys works, and its chunks are recognised', async () => {
  await using between = await new Between().open();
  const chunk = randomBytes(1_000_000);
  const directory = spoolFolder();
  for (const [transfer, carried] of [
    ['trf_1', chunk.length],
    ['trf_2', 0],
  ] as const) {
    const [from, to] = await Promise.all([between.link(), between.link()]);
    const receiving = { spool: new Spool(directory, transfer), onProgress: () => undefined };
    const received = receive(to, receiving).finally(() => to.close());
    const whole = sha256(sha256(chunk));
    for await (const message of from.received() as AsyncIterable<{ type: string }>) {
      if (message.type === 'next') {
        from.say({ type: 'begin' });
        from.say({ type: 'offer', index: 0, sha256: sha256(chunk), length: chunk.length });
      }
      if (message.type === 'want') await from.give(chunk);
      if (message.type === 'have') from.say({ type: 'end', chunks: 1, bytes: chunk.length, sha256: whole });
      if (message.type === 'done') break;
    }
    expect(await received).toMatchObject({ chunks: 1, carried, sha256: whole });
    from.close();
    expect((await contentOf(directory, transfer)).equals(chunk)).toBe(true);
  }
});

test('a chunk corrupted in transit is detected and requested again', async () => {
  await using between = await new Between().open();
  const content = randomBytes(9_000_000);
  const directory = spoolFolder();
  between.spoil = 5_000_000;
  await expect(carry({ between, content, directory })).rejects.toThrow('arrived damaged');
  const { carried } = await carry({ between, content, directory });
  expect(carried).toBeLessThan(content.length);
  expect((await contentOf(directory)).equals(content)).toBe(true);
});
