import { hkdfSync, randomBytes } from 'node:crypto';
import { bytesOf, openChunks, SealBroken, sealChunks } from '@hortus/client/sealing/sealed-chunks';

/** Inputs of a part's key: a part opens only as this file of this backup. */
export interface PartIdentity {
  backupKey: Buffer;
  backupId: string;
  file: string;
}

/**
 * Layout of a part: mark, salt (format 2), sealed chunks. Every write draws a new salt: a backup that is repeated under
 * its id after a crash seals other content, and without the salt would reuse key and nonces. Format 1 has no salt and
 * is only read. Format, backup id and file name go into the key, so that neither a changed mark nor a swapped part
 * opens.
 */
const MARK_BYTES = 8;
const FORMAT_1 = Buffer.from('HORTUSB1');
const FORMAT_2 = Buffer.from('HORTUSB2');
const SALT_BYTES = 32;

/** A part of a backup cannot be read; the message names the part and the chunk. */
export class DamagedPart extends Error {}

export async function* sealPart(
  identity: PartIdentity,
  content: AsyncIterable<Buffer>,
  onChunk: () => void,
): AsyncGenerator<Buffer> {
  const salt = randomBytes(SALT_BYTES);
  yield Buffer.concat([FORMAT_2, salt]);
  for await (const chunk of sealChunks(saltedKey(identity, salt), content)) {
    onChunk();
    yield chunk;
  }
}

/** `what` names the part in errors: `volume data`. */
export async function* openPart(
  identity: PartIdentity,
  what: string,
  source: AsyncIterable<Buffer>,
): AsyncGenerator<Buffer> {
  const damaged = (why: string) => new DamagedPart(`The backup of ${what} cannot be used: ${why}.`);
  const read = bytesOf(source);
  try {
    const mark = await read(MARK_BYTES);
    if (mark.length < MARK_BYTES) throw new SealBroken('cut', 1);
    if (mark.equals(FORMAT_2)) {
      const salt = await read(SALT_BYTES);
      if (salt.length < SALT_BYTES) throw new SealBroken('cut', 1);
      yield* openChunks(saltedKey(identity, salt), read);
    } else if (mark.equals(FORMAT_1)) yield* openChunks(saltlessKey(identity), read);
    else throw damaged('it does not start like a part of format 1 or 2');
  } catch (error) {
    throw error instanceof SealBroken ? damaged(error.message) : error;
  }
  if ((await read(1)).length > 0) throw damaged('there is data after its last chunk');
}

const saltedKey = ({ backupKey, backupId, file }: PartIdentity, salt: Buffer): Buffer =>
  Buffer.from(hkdfSync('sha256', backupKey, salt, `hortus backup format 2\n${backupId}\n${file}`, 32));

const saltlessKey = ({ backupKey, backupId, file }: PartIdentity): Buffer =>
  Buffer.from(hkdfSync('sha256', backupKey, '', `hortus backup ${backupId} ${file}`, 32));
