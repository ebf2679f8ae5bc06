export interface ByteRange {
  readonly first: number;
  /** The last byte itself, as HTTP counts. */
  readonly last: number;
}

/**
 * What a Range header asks for of so many bytes. Undefined asks for the whole: there is none, it is not understood, or it
 * asks for several parts, which HTTP lets a server ignore. 'none' means that nothing of it is there.
 */
export function byteRange(header: string | undefined, size: number): ByteRange | 'none' | undefined {
  const [, from, to] = /^\s*bytes\s*=\s*(\d{0,15})\s*-\s*(\d{0,15})\s*$/i.exec(header ?? '') ?? [];
  if (from === undefined || to === undefined || (from === '' && to === '')) return undefined;
  if (from === '') {
    const length = Math.min(Number(to), size);
    return length === 0 ? 'none' : { first: size - length, last: size - 1 };
  }
  if (to !== '' && Number(to) < Number(from)) return undefined;
  if (Number(from) >= size) return 'none';
  return { first: Number(from), last: to === '' ? size - 1 : Math.min(Number(to), size - 1) };
}
