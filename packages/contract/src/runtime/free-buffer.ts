/**
 * Frees the memory of a buffer at once instead of at the next garbage collection; the caller must not use the buffer
 * afterwards. Does nothing if the buffer shares its memory with others.
 */
export function release({ buffer, byteLength }: Buffer): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
}
