import { CHUNK_BYTES, type FromReceiver, type FromSender } from '@hortus/contract/protocol/transfer';

export type Message = FromReceiver | FromSender | { readonly type: 'alive' };

/**
 * A transfer is a sequence of records in each direction: four bytes, then a message (JSON) or content. The highest bit
 * of the four marks content; the others are the length, big-endian. A record of content is at most one chunk.
 */
const HEADER_BYTES = 4;
const CONTENT = 0x8000_0000;
/** Limit for messages; real ones are far shorter. */
const MAX_MESSAGE_LENGTH = 64 * 1024;

export class BrokenRecord extends Error {
  override name = 'BrokenRecord';
}

/** Returns the four bytes that precede content of this length. */
export function contentHeader(length: number): Buffer {
  const header = Buffer.allocUnsafe(HEADER_BYTES);
  header.writeUInt32BE(CONTENT + length);
  return header;
}

export function messageRecord(message: Message): Buffer {
  const text = Buffer.from(JSON.stringify(message));
  const header = Buffer.allocUnsafe(HEADER_BYTES);
  header.writeUInt32BE(text.length);
  return Buffer.concat([header, text]);
}

/**
 * Splits a stream into its records. Messages come out whole; content comes out in arbitrary pieces that share the memory
 * they arrived in.
 */
export class RecordReader {
  #reading: 'header' | 'message' | 'content' = 'header';
  /** Missing bytes of what is being read. */
  #left = HEADER_BYTES;
  /** A header or message while it arrives, copied so that the receive buffer can be reused. */
  #held = Buffer.alloc(HEADER_BYTES);

  /** Returns the messages that these bytes complete and the content in them, in order. */
  read(bytes: Buffer): (Message | Buffer)[] {
    const found: (Message | Buffer)[] = [];
    for (let at = 0; at < bytes.length; ) {
      const part = bytes.subarray(at, at + this.#left);
      at += part.length;
      if (this.#reading === 'content') found.push(part);
      else part.copy(this.#held, this.#held.length - this.#left);
      this.#left -= part.length;
      if (this.#left > 0) continue;
      if (this.#reading === 'message') found.push(parsed(this.#held));
      if (this.#reading === 'header') this.#begin(this.#held.readUInt32BE());
      else this.#await('header', HEADER_BYTES);
    }
    return found;
  }

  #begin(header: number): void {
    const isContent = header >= CONTENT;
    const length = isContent ? header - CONTENT : header;
    if (length === 0 || length > (isContent ? CHUNK_BYTES : MAX_MESSAGE_LENGTH))
      throw new BrokenRecord(`The other end sent a record of ${length} bytes.`);
    this.#await(isContent ? 'content' : 'message', length);
  }

  #await(next: 'header' | 'message' | 'content', length: number): void {
    this.#reading = next;
    this.#left = length;
    if (next !== 'content') this.#held = Buffer.alloc(length);
  }
}

function parsed(text: Buffer): Message {
  try {
    return JSON.parse(text.toString()) as Message;
  } catch {
    throw new BrokenRecord('The other end sent a message that is not JSON.');
  }
}
