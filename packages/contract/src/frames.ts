import { createHash } from 'node:crypto';

/**
 * WebSocket frames (RFC 6455) for transfers. `ws` needs three times the CPU for the same bytes: it collects whole messages
 * and masks them byte by byte (see docs/decisions/libraries.md).
 */

/** What RFC 6455 adds to the key of a handshake. */
const GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';

/** How a service answers the key of a handshake. */
export const acceptanceOf = (key: string): string => createHash('sha1').update(`${key}${GUID}`).digest('base64');

export const opcodes = { continuation: 0x0, text: 0x1, binary: 0x2, close: 0x8, ping: 0x9, pong: 0xa } as const;
export type Control = 'close' | 'ping' | 'pong';

const LAST_FRAME = 0x80;
const MASKED = 0x80;
/** A header with the longest length and a mask. */
const LONGEST_HEADER = 14;
const LONGEST_CONTROL = 125;

export class BrokenFrame extends Error {}

/** What a header says. */
export interface Frame {
  /** Its first byte, as it came. */
  readonly first: number;
  readonly opcode: number;
  /** Of its message. */
  readonly isLast: boolean;
  readonly length: number;
  /** Undefined where the frame is not masked. */
  readonly mask: Buffer | undefined;
}

/** Who hears of frames while they come. Control frames come whole, all else in whatever pieces there are. */
export interface FrameListener {
  begin(frame: Frame): void;
  content(part: Buffer): void;
  end(): void;
  control(kind: Control, payload: Buffer): void;
}

/** Follows a stream of bytes from frame to frame. Nothing of the content is collected or copied. */
export class FrameScanner {
  readonly #from: 'client' | 'service';
  readonly #listener: FrameListener;
  readonly #header = Buffer.alloc(LONGEST_HEADER);
  #headerBytes = 0;
  /** Of the frame that is being read. */
  #left = 0;
  #control: { kind: Control; mask: Buffer | undefined; payload: Buffer[] } | undefined;

  /** Frames of a client are masked, those of a service are not. */
  constructor(from: 'client' | 'service', listener: FrameListener) {
    this.#from = from;
    this.#listener = listener;
  }

  /** Whether the content that was given out so far ends with a whole frame. */
  get betweenFrames(): boolean {
    return this.#left === 0 || this.#control !== undefined;
  }

  read(bytes: Buffer): void {
    for (let at = 0; at < bytes.length; ) {
      if (this.#left === 0) {
        at += this.#readHeader(bytes.subarray(at));
        continue;
      }
      const part = bytes.subarray(at, at + this.#left);
      at += part.length;
      this.#left -= part.length;
      if (this.#control) this.#control.payload.push(Buffer.from(part));
      else this.#listener.content(part);
      if (this.#left === 0) this.#end();
    }
  }

  /** How many of the bytes belonged to it. */
  #readHeader(bytes: Buffer): number {
    let taken = 0;
    while (taken < bytes.length) {
      this.#header[this.#headerBytes++] = bytes[taken++] as number;
      if (this.#headerBytes === headerLength(this.#header, this.#headerBytes)) {
        this.#begin();
        break;
      }
    }
    return taken;
  }

  #begin(): void {
    const [first = 0, second = 0] = this.#header;
    const opcode = first & 0x0f;
    if ((first & 0x70) !== 0 || (opcode > opcodes.binary && opcode < opcodes.close) || opcode > opcodes.pong)
      throw new BrokenFrame('a frame of a kind that was not agreed on');
    const length = payloadLength(this.#header);
    const isMasked = (second & MASKED) !== 0;
    if (isMasked !== (this.#from === 'client'))
      throw new BrokenFrame(isMasked ? 'a frame that is masked' : 'a frame that is not masked');
    const mask = isMasked ? Buffer.from(this.#header.subarray(this.#headerBytes - 4, this.#headerBytes)) : undefined;
    const isLast = (first & LAST_FRAME) !== 0;
    this.#headerBytes = 0;
    this.#left = length;
    const kind = controlKinds.get(opcode);
    if (kind === undefined) this.#listener.begin({ first, opcode, isLast, length, mask });
    else if (length > LONGEST_CONTROL || !isLast) throw new BrokenFrame('a control frame that is too long');
    else this.#control = { kind, mask, payload: [] };
    if (length === 0) this.#end();
  }

  #end(): void {
    if (!this.#control) {
      this.#listener.end();
      return;
    }
    const { kind, mask, payload } = this.#control;
    this.#control = undefined;
    const whole = Buffer.concat(payload);
    if (mask) applyMask(whole, mask, 0);
    this.#listener.control(kind, whole);
  }
}

const controlKinds = new Map<number, Control>([
  [opcodes.close, 'close'],
  [opcodes.ping, 'ping'],
  [opcodes.pong, 'pong'],
]);

/**
 * Masks or unmasks a part of a frame in place; `before` is the number of bytes of the frame that precede it. Eight bytes
 * at a time and unrolled: byte by byte, masking took more CPU than everything else in a transfer (3.3 s per gigabyte
 * instead of 0.15 s).
 */
export function applyMask(part: Buffer, mask: Buffer, before: number): void {
  const aligned = (WORD - (part.byteOffset % WORD)) % WORD;
  if (part.length < aligned + WORD) {
    maskBytes(part, mask, before, 0, part.length);
    return;
  }
  maskBytes(part, mask, before, 0, aligned);
  const words = new BigInt64Array(part.buffer, part.byteOffset + aligned, Math.floor((part.length - aligned) / WORD));
  const [key = 0n] = new BigInt64Array(
    Uint8Array.from({ length: WORD }, (_, i) => mask[(before + aligned + i) & 3] as number).buffer,
  );
  const unrolled = words.length - (words.length % UNROLLED);
  for (let i = 0; i < unrolled; i += UNROLLED) {
    words[i] = BigInt.asIntN(64, (words[i] as bigint) ^ key);
    words[i + 1] = BigInt.asIntN(64, (words[i + 1] as bigint) ^ key);
    words[i + 2] = BigInt.asIntN(64, (words[i + 2] as bigint) ^ key);
    words[i + 3] = BigInt.asIntN(64, (words[i + 3] as bigint) ^ key);
  }
  maskBytes(part, mask, before, aligned + unrolled * WORD, part.length);
}

const WORD = 8;
const UNROLLED = 4;

function maskBytes(part: Buffer, mask: Buffer, before: number, from: number, to: number): void {
  for (let i = from; i < to; i++) part[i] = (part[i] as number) ^ (mask[(before + i) & 3] as number);
}

/** Of a header that begins like this; more than is there if even that is not known yet. */
function headerLength(header: Buffer, known: number): number {
  if (known < 2) return 2;
  const short = (header[1] as number) & 0x7f;
  const mask = ((header[1] as number) & MASKED) === 0 ? 0 : 4;
  return 2 + (short === 127 ? 8 : short === 126 ? 2 : 0) + mask;
}

function payloadLength(header: Buffer): number {
  const short = (header[1] as number) & 0x7f;
  if (short < 126) return short;
  if (short === 126) return header.readUInt16BE(2);
  if (header.readUInt16BE(2) !== 0) throw new BrokenFrame('a frame that is too long');
  return header.readUIntBE(4, 6);
}

/** Of a frame that is not masked, as a service sends them. */
export function frameHeader(first: number, length: number): Buffer {
  if (length < 126) return Buffer.from([first, length]);
  const header = Buffer.alloc(length < 65_536 ? 4 : 10);
  header[0] = first;
  header[1] = length < 65_536 ? 126 : 127;
  if (length < 65_536) header.writeUInt16BE(length, 2);
  else header.writeUIntBE(length, 4, 6);
  return header;
}

/** Returns the header of a whole message of a client, whose payload is masked with `mask`. */
export function clientHeader(opcode: number, length: number, mask: Buffer): Buffer {
  const header = frameHeader(LAST_FRAME | opcode, length);
  header[1] = (header[1] as number) | MASKED;
  return Buffer.concat([header, mask]);
}

/** Of a control frame of a service. */
export const controlFrame = (kind: Control, payload: Buffer): Buffer =>
  Buffer.concat([frameHeader(LAST_FRAME | opcodes[kind], payload.length), payload]);

/** What a frame says that closes a connection. */
export function closePayload(code: number, reason: string): Buffer {
  const payload = Buffer.alloc(2 + Buffer.byteLength(reason));
  payload.writeUInt16BE(code);
  payload.write(reason, 2);
  return payload;
}

/**
 * Lets go of the memory of a buffer at once, instead of when the garbage collector comes by. Only of one that has its memory for
 * itself: what shares it with others is left as it is.
 */
export function release({ buffer, byteLength }: Buffer): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
}
