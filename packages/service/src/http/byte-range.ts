export interface ByteRange {
  readonly first: number;
  /** Inclusive, as in HTTP. */
  readonly last: number;
}

/**
 * Parses a Range header. Undefined means the whole file: there is no header, it is invalid, or it requests several
 * ranges, which HTTP lets a server ignore. 'none' means that the range is outside of the file.
 */
export function byteRange(header: string | undefined, size: number): ByteRange | 'none' | undefined {
  const [, from, to] =
    /^\s{0,8}bytes\s{0,8}=\s{0,8}(\d{0,15})\s{0,8}-\s{0,8}(\d{0,15})\s{0,8}$/i.exec(header ?? '') ?? [];
  if (from === undefined || to === undefined || (from === '' && to === '')) return undefined;
  if (from === '') {
    const length = Math.min(Number(to), size);
    return length === 0 ? 'none' : { first: size - length, last: size - 1 };
  }
  if (to !== '' && Number(to) < Number(from)) return undefined;
  if (Number(from) >= size) return 'none';
  return { first: Number(from), last: to === '' ? size - 1 : Math.min(Number(to), size - 1) };
}
