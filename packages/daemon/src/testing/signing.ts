import { generateKeyPairSync, sign } from 'node:crypto';
import type { SignedManifest } from '@hortus/contract/resources/manifest';
import type { Manifest } from '@hortus/contract/template/manifest';
import { signedBytes } from '../trust/manifest-signature.ts';

/** The service's side of trust: a key, and manifests signed with it. */
export class Signer {
  readonly #pair = generateKeyPairSync('ed25519');
  readonly publicKey = this.#pair.publicKey.export({ format: 'der', type: 'spki' }).toString('base64');

  sign(manifest: Manifest, given: Partial<SignedManifest> = {}): SignedManifest {
    const data = {
      ...manifest,
      definition_id: id('def'),
      deployment_id: id('dep'),
      instance_uid: manifest.instance.uid,
      server_id: manifest.instance.server_id,
      revision: 1,
      signed_at: new Date().toISOString(),
      public_key_id: 'k1',
      ...given,
    };
    return { ...data, signature: sign(null, signedBytes(data), this.#pair.privateKey).toString('base64') };
  }
}

/** An id in the published form. */
export function id(prefix: string, number = 1): string {
  return `${prefix}_${String(number).padStart(26, '0')}`;
}
