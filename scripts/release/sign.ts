import { createHash, type KeyObject, sign } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { signatureFileName } from '@hortus/contract/agent-file';
import type { ReleaseSignature } from '@hortus/contract/resources/implant';
import { signedBytes } from '@hortus/daemon/trust/manifest-signature';

/** Signs a binary for daemons that update themselves, and writes the signature beside it. */
export async function signRelease(binary: string, version: string, key: KeyObject): Promise<ReleaseSignature> {
  const hash = createHash('sha256');
  for await (const piece of createReadStream(binary)) hash.update(piece);
  const facts = { file: basename(binary), version, sha256: hash.digest('hex') };
  const release = { ...facts, signature: sign(null, signedBytes(facts), key).toString('base64') };
  const draft = `${signatureFileName(binary)}.draft`;
  await writeFile(draft, `${JSON.stringify(release, null, 2)}\n`);
  await rename(draft, signatureFileName(binary));
  return release;
}
