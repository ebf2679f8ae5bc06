import { createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import type { ReleaseSignature } from '@hortus/contract/releases/release-signature';
import { signedBytes } from '../../trust/manifest-signature.ts';
import { releaseKeyId } from '../release-key.ts';

/** Key pair of releases. */
export class ReleaseSigner {
  readonly #pair = generateKeyPairSync('ed25519');
  readonly publicKey: KeyObject = createPublicKey(this.#pair.privateKey);

  get text(): string {
    return this.publicKey.export({ format: 'der', type: 'spki' }).toString('base64');
  }

  sign(facts: { file: string; version: string; sha256: string }): ReleaseSignature {
    const named = { ...facts, key_id: releaseKeyId(this.publicKey) };
    return { ...named, signature: sign(null, signedBytes(named), this.#pair.privateKey).toString('base64') };
  }
}
