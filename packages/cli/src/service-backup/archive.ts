import { createCipheriv, createDecipheriv, randomBytes, scryptSync } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { open, rename, rm, stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { Failure } from '../failure.ts';

/** The second format authenticates its header; files of the first one can still be restored. */
const MAGIC = 'HORTUS-BACKUP 2\n';
const FIRST_MAGIC = 'HORTUS-BACKUP 1\n';
const TAG_BYTES = 16;
const MAX_HEADER_LENGTH = 4_096;

export interface Header {
  readonly engine: 'sqlite' | 'postgres';
  readonly created_at: string;
  /** Null for an unencrypted file. */
  readonly encryption: { readonly salt: string; readonly nonce: string } | null;
}

/** Contents of a backup: the master key and the database file. */
export interface Contents {
  readonly masterKey: string;
  readonly database: string;
}

const keyFrom = (passphrase: string, salt: Buffer): Buffer =>
  scryptSync(passphrase, salt, 32, { N: 2 ** 15, r: 8, p: 1, maxmem: 64 * 2 ** 20 });

/** Writes the file atomically: it gets its name once it is complete and synced. */
export async function writeArchive(
  path: string,
  { engine, masterKey, database }: Contents & Pick<Header, 'engine'>,
  passphrase: string | undefined,
): Promise<void> {
  const [salt, nonce] = [randomBytes(16), randomBytes(12)];
  const encryption = passphrase === undefined ? null : { salt: salt.toString('hex'), nonce: nonce.toString('hex') };
  const header: Header = { engine, created_at: new Date().toISOString(), encryption };
  const key = Buffer.from(masterKey);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(key.length);
  async function* plain() {
    yield length;
    yield key;
    yield* createReadStream(database);
  }
  const draft = `${path}.part`;
  const file = await open(draft, 'w', 0o600);
  try {
    const out = createWriteStream('', { fd: file.fd, autoClose: false });
    const head = Buffer.from(`${MAGIC}${JSON.stringify(header)}\n`);
    out.write(head);
    const packed = Readable.from(plain()).compose(createGzip());
    if (passphrase === undefined) await pipeline(packed, out);
    else {
      const cipher = createCipheriv('aes-256-gcm', keyFrom(passphrase, salt), nonce).setAAD(head);
      await pipeline(packed, cipher, out, { end: false });
      await new Promise<void>((done, fail) => out.end(cipher.getAuthTag(), () => done()).once('error', fail));
    }
    await file.sync();
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  } finally {
    await file.close();
  }
  await rename(draft, path);
}

interface ReadHeader {
  readonly header: Header;
  /** The bytes before the body, which the tag of an encrypted file covers; null for the first format. */
  readonly authenticated: Buffer | null;
  readonly bodyAt: number;
}

export async function readHeader(path: string): Promise<ReadHeader> {
  const file = await open(path).catch(() => {
    throw new Failure('missing', `${path} does not exist or cannot be read.`);
  });
  try {
    const start = Buffer.alloc(MAX_HEADER_LENGTH);
    const { bytesRead } = await file.read(start, 0, MAX_HEADER_LENGTH, 0);
    const end = start.indexOf('\n', MAGIC.length);
    const magic = start.toString('utf8', 0, MAGIC.length);
    const header = end < 0 || end > bytesRead ? undefined : headerIn(start.toString('utf8', MAGIC.length, end));
    if ((magic !== MAGIC && magic !== FIRST_MAGIC) || !header)
      throw new Failure('usage', `${path} is not a backup of a Hortus service.`);
    // A file of the second format that claims to be of the first one does not decrypt, because its tag covers this.
    const authenticated = magic === MAGIC ? start.subarray(0, end + 1) : null;
    return { header, authenticated, bodyAt: end + 1 };
  } finally {
    await file.close();
  }
}

/** Undefined unless it has the right form; what the file says is not trusted before its tag was verified. */
function headerIn(text: string): Header | undefined {
  let value: Partial<Header> | null;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  const { engine, created_at, encryption } = value ?? {};
  if ((engine !== 'sqlite' && engine !== 'postgres') || typeof created_at !== 'string') return undefined;
  if (encryption === null) return { engine, created_at, encryption };
  const { salt, nonce } = encryption ?? {};
  if (typeof salt !== 'string' || typeof nonce !== 'string') return undefined;
  return /^[0-9a-f]{32}$/.test(salt) && /^[0-9a-f]{24}$/.test(nonce)
    ? { engine, created_at, encryption: { salt, nonce } }
    : undefined;
}

/** Refuses a plain file if a passphrase was given: an attacker could have put it in the place of an encrypted one. */
export function requireEncryption(path: string, { encryption }: Header, passphrase: string | undefined): void {
  if (encryption !== null && passphrase === undefined)
    throw new Failure('usage', `${path} is encrypted: give its --passphrase-file.`);
  if (encryption === null && passphrase !== undefined)
    throw new Failure('refused', `${path} is not encrypted, although a passphrase is given.`, {
      hint: 'Someone may have replaced your backup. If you made it without a passphrase, leave --passphrase-file out.',
    });
}

/** Writes the database to `database` and returns the verified header and the master key. If it throws, discard the written file. */
export async function readArchive(
  path: string,
  database: string,
  passphrase: string | undefined,
): Promise<{ readonly header: Header; readonly masterKey: string }> {
  const { header, authenticated, bodyAt } = await readHeader(path);
  requireEncryption(path, header, passphrase);
  const { size } = await stat(path);
  let masterKey = '';
  const unpack = async function* (source: AsyncIterable<Buffer>) {
    let head = Buffer.alloc(0);
    let found = false;
    for await (const part of source) {
      if (found) {
        yield part;
        continue;
      }
      head = Buffer.concat([head, part]);
      const needed = head.length < 4 ? Number.POSITIVE_INFINITY : 4 + head.readUInt32BE(0);
      if (head.length < needed) continue;
      masterKey = head.toString('utf8', 4, needed);
      found = true;
      yield head.subarray(needed);
    }
  };
  const out = createWriteStream(database, { mode: 0o600, flags: 'wx' });
  try {
    if (header.encryption === null || passphrase === undefined) {
      await pipeline(createReadStream(path, { start: bodyAt }), createGunzip(), unpack, out);
    } else {
      const { salt, nonce } = header.encryption;
      const key = keyFrom(passphrase, Buffer.from(salt, 'hex'));
      const decipher = createDecipheriv('aes-256-gcm', key, Buffer.from(nonce, 'hex'), { authTagLength: TAG_BYTES });
      if (authenticated) decipher.setAAD(authenticated);
      decipher.setAuthTag(await tail(path, size));
      const body = createReadStream(path, { start: bodyAt, end: size - TAG_BYTES - 1 });
      await pipeline(body, decipher, createGunzip(), unpack, out);
    }
  } catch (error) {
    await rm(database, { force: true });
    if (error instanceof Failure) throw error;
    throw new Failure('failed', `${path} cannot be read: it is damaged, or the passphrase is wrong.`);
  }
  return { header, masterKey };
}

async function tail(path: string, size: number): Promise<Buffer> {
  const file = await open(path);
  try {
    const tag = Buffer.alloc(TAG_BYTES);
    await file.read(tag, 0, TAG_BYTES, size - TAG_BYTES);
    return tag;
  } finally {
    await file.close();
  }
}
