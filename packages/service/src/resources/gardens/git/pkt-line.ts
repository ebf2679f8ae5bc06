/** Pieces of Git's wire format: each line begins with its length in four hexadecimal digits. */
export const FLUSH = '0000';
export const DELIMITER = '0001';

export const line = (text: string): string => (Buffer.byteLength(text) + 4).toString(16).padStart(4, '0') + text;

export type Packet = Buffer | 'flush' | 'delimiter' | 'end';

const SPECIAL: Readonly<Record<number, Exclude<Packet, Buffer>>> = { 0: 'flush', 1: 'delimiter', 2: 'end' };

/** Far more than servers need for the largest pack; tiny lines without end would hold the event loop. */
const MAX_PACKETS = 50_000;

/** Splits an answer into its lines. Throws if it is cut off or no such format. */
export function* packetsOf(bytes: Buffer): Generator<Packet> {
  for (let at = 0, count = 0; at < bytes.length; count++) {
    if (count === MAX_PACKETS) throw new Error('The answer has too many lines.');
    const digits = bytes.toString('latin1', at, at + 4);
    if (!/^[0-9a-f]{4}$/i.test(digits)) throw new Error('The answer has a line without a length.');
    const length = Number.parseInt(digits, 16);
    if (length < 4) {
      const special = SPECIAL[length];
      if (special === undefined) throw new Error('The answer has a line with an invalid length.');
      yield special;
      at += 4;
      continue;
    }
    if (at + length > bytes.length) throw new Error('The answer is cut off.');
    yield bytes.subarray(at + 4, at + length);
    at += length;
  }
}

export const textOf = (packet: Packet): string =>
  typeof packet === 'string' ? '' : packet.toString('utf8').replace(/\n$/, '');
