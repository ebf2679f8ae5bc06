/** WebSocket frames (RFC 6455), as far as whoever hands them on must know them. */

const opcodes = { close: 0x8, ping: 0x9, pong: 0xa } as const;
const LAST_FRAME = 0x80;
const MASKED = 0x80;
/** A header with the longest length and a mask. */
const LONGEST_HEADER = 14;

export class BrokenFrame extends Error {}

export type Control = 'close' | 'ping' | 'pong';

/**
 * Turns the frames of one end, which are masked, into frames for the other, which are not. The content is neither collected nor
 * copied: of what comes in, the same memory goes out, with other headers. Frames that are for us alone are not handed on.
 */
export class FrameTurner {
  readonly #onControl: (kind: Control, payload: Buffer) => void;
  readonly #header = Buffer.alloc(LONGEST_HEADER);
  #headerBytes = 0;
  /** Of the frame that is being read. */
  #left = 0;
  #control: { kind: Control; payload: Buffer[] } | undefined;
  readonly #mask = Buffer.alloc(4);
  #masked = false;
  #unmasked = 0;
  #carried = 0;

  constructor(onControl: (kind: Control, payload: Buffer) => void) {
    this.#onControl = onControl;
  }

  /** Bytes of content that were given out so far. */
  get carried(): number {
    return this.#carried;
  }

  /** Whether what was given out so far ends with a whole frame. */
  get betweenFrames(): boolean {
    return this.#left === 0 || this.#control !== undefined;
  }

  /** What of these bytes goes to the other end, in its order. */
  turn(bytes: Buffer): Buffer[] {
    const out: Buffer[] = [];
    for (let at = 0; at < bytes.length; ) {
      if (this.#left === 0) {
        at += this.#readHeader(bytes.subarray(at), out);
        continue;
      }
      const part = bytes.subarray(at, at + this.#left);
      at += part.length;
      this.#left -= part.length;
      if (this.#masked) this.#unmask(part);
      if (this.#control) this.#control.payload.push(Buffer.from(part));
      else {
        out.push(part);
        this.#carried += part.length;
      }
      if (this.#left === 0) this.#endControl();
    }
    return out;
  }

  /** How many of the bytes belonged to it. */
  #readHeader(bytes: Buffer, out: Buffer[]): number {
    let taken = 0;
    while (taken < bytes.length) {
      this.#header[this.#headerBytes++] = bytes[taken++] as number;
      if (this.#headerBytes === headerLength(this.#header, this.#headerBytes)) {
        this.#begin(out);
        break;
      }
    }
    return taken;
  }

  #begin(out: Buffer[]): void {
    const [first = 0, second = 0] = this.#header;
    const opcode = first & 0x0f;
    if ((first & 0x70) !== 0 || (opcode > 2 && opcode < 8) || opcode > 10)
      throw new BrokenFrame('a frame of a kind that was not agreed on');
    if ((second & MASKED) === 0) throw new BrokenFrame('a frame that is not masked');
    const length = payloadLength(this.#header);
    this.#header.copy(this.#mask, 0, this.#headerBytes - 4, this.#headerBytes);
    this.#headerBytes = 0;
    this.#masked = this.#mask.readUInt32LE() !== 0;
    this.#unmasked = 0;
    this.#left = length;
    if (opcode < 8) {
      out.push(frameHeader(first, length));
      return;
    }
    if (length > 125 || (first & LAST_FRAME) === 0) throw new BrokenFrame('a control frame that is too long');
    const kind: Control = opcode === opcodes.close ? 'close' : opcode === opcodes.ping ? 'ping' : 'pong';
    this.#control = { kind, payload: [] };
    if (length === 0) this.#endControl();
  }

  #endControl(): void {
    if (!this.#control) return;
    const { kind, payload } = this.#control;
    this.#control = undefined;
    this.#onControl(kind, Buffer.concat(payload));
  }

  /** In place. Daemons of ours mask with zeros, and are spared this. */
  #unmask(part: Buffer): void {
    const mask = this.#mask;
    const before = this.#unmasked;
    for (let i = 0; i < part.length; i++) part[i] = (part[i] as number) ^ (mask[(before + i) & 3] as number);
    this.#unmasked = (before + part.length) & 3;
  }
}

/** Of a control frame of ours. */
export const controlFrame = (kind: Control, payload: Buffer): Buffer =>
  Buffer.concat([frameHeader(LAST_FRAME | opcodes[kind], payload.length), payload]);

export function closeFrame(code: number, reason: string): Buffer {
  const payload = Buffer.alloc(2 + Buffer.byteLength(reason));
  payload.writeUInt16BE(code);
  payload.write(reason, 2);
  return controlFrame('close', payload);
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

function frameHeader(first: number, length: number): Buffer {
  if (length < 126) return Buffer.from([first, length]);
  const header = Buffer.alloc(length < 65_536 ? 4 : 10);
  header[0] = first;
  header[1] = length < 65_536 ? 126 : 127;
  if (length < 65_536) header.writeUInt16BE(length, 2);
  else header.writeUIntBE(length, 4, 6);
  return header;
}
