import { generateKeyPairSync, sign } from 'node:crypto';
import type { SignedManifest } from '@hortus/contract/resources/manifest';
import type { Manifest } from '@hortus/contract/template/manifest';
import { isSignedBy, signedBytes } from '../trust/manifest-signature.ts';

/** The service's key, and manifests signed with it. */
export class Signer {
  readonly #pair = generateKeyPairSync('ed25519');
  readonly publicKey = this.#pair.publicKey.export({ format: 'der', type: 'spki' }).toString('base64');

  sign(manifest: Manifest, overrides: Partial<SignedManifest> = {}): SignedManifest {
    const data = {
      ...manifest,
      definition_id: id('def'),
      deployment_id: id('dep'),
      instance_uid: manifest.instance.uid,
      server_id: manifest.instance.server_id,
      revision: 1,
      signed_at: new Date().toISOString(),
      public_key_id: 'k1',
      ...overrides,
    };
    return this.#signed(data);
  }

  /** Signs a manifest of this signer for one request; leaves forged and changed ones. */
  signFor(manifest: unknown, nonce: string | null): unknown {
    const { signature, ...data } = manifest as SignedManifest;
    const isOurs = isSignedBy(this.#pair.publicKey, { ...data, signature });
    return isOurs && nonce !== null ? this.#signed({ ...data, nonce }) : manifest;
  }

  /** Signs an order that is not sent over the channel. */
  signed<Data extends object>(data: Data): Data & { signature: string } {
    return this.#signed(data);
  }

  /** Signs a channel message as the service does; keeps given times and server ids. */
  order<Message extends { type: string }>(message: Message, server_id: string): Message {
    if (!orders.includes(message.type) || 'signature' in message) return message;
    const [issued_at, expires_at] = [0, 3_600_000].map((ms) => new Date(Date.now() + ms).toISOString());
    return this.#signed({ server_id, issued_at, expires_at, ...message });
  }

  #signed<Data extends object>(data: Data): Data & { signature: string } {
    const signature = sign(null, signedBytes(data as Record<string, unknown>), this.#pair.privateKey);
    return { ...data, signature: signature.toString('base64') };
  }
}

/** Messages that a daemon obeys only if they are signed. */
export const orders = ['action_request', 'action_cancel', 'rotate_key', 'daemon_update', 'stream_open', 'leadership'];

/** An id in the published form. */
export function id(prefix: string, number = 1): string {
  return `${prefix}_${String(number).padStart(26, '0')}`;
}
