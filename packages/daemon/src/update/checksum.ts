import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';

/** Returns the sha256 of a file in hexadecimal; reads it in chunks. */
export async function sha256Of(file: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const piece of createReadStream(file)) hash.update(piece as Buffer);
  return hash.digest('hex');
}
