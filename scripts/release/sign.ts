import { createPublicKey, type KeyObject, sign } from 'node:crypto';
import { rename, writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { signatureFileName } from '@hortus/contract/releases/agent-file';
import type { ReleaseSignature } from '@hortus/contract/releases/release-signature';
import { signedBytes } from '@hortus/daemon/trust/manifest-signature';
import { sha256Of } from '@hortus/daemon/update/checksum';
import { releaseKeyId } from '@hortus/daemon/update/release-key';

/** Signs a binary for daemons that update themselves, and writes the signature beside it. */
export async function signRelease(binary: string, version: string, key: KeyObject): Promise<ReleaseSignature> {
  const key_id = releaseKeyId(createPublicKey(key));
  const facts = { file: basename(binary), version, sha256: await sha256Of(binary), key_id };
  const release = { ...facts, signature: sign(null, signedBytes(facts), key).toString('base64') };
  const draft = `${signatureFileName(binary)}.draft`;
  await writeFile(draft, `${JSON.stringify(release, null, 2)}\n`);
  await rename(draft, signatureFileName(binary));
  return release;
}
