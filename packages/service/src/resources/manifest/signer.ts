import { createHash, createPrivateKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import type { SignedManifest } from '@hortus/contract/resources/manifest';
import { canonicalJson } from '@hortus/template/canonical/canonical-json';
import type { Storage } from '../../storage/storage.ts';
import type { Vault } from '../../vault/vault.ts';
import { claimSigningKey, keptSigningKey } from './store.ts';

/** The key belongs to no account; the vault keeps a data key for the installation under this name. */
const INSTALLATION = 'installation';
const CONTEXT = 'manifest signing key';

interface KeptKey {
  /** Base64 of the SPKI. */
  readonly public_key: string;
  /** The PKCS #8 text, sealed by the vault. */
  readonly sealed: string;
}

/** Signs manifests, so that daemons accept orders only from this installation. */
export class ManifestSigner {
  readonly publicKey: string;
  /** Fingerprint of the key. */
  readonly publicKeyId: string;
  readonly #privateKey: KeyObject;

  constructor(publicKey: string, privateKey: KeyObject) {
    this.publicKey = publicKey;
    this.publicKeyId = `sha256:${createHash('sha256').update(Buffer.from(publicKey, 'base64')).digest('hex')}`;
    this.#privateKey = privateKey;
  }

  /** Signs the canonical JSON of everything but the signature. */
  sign(manifest: Omit<SignedManifest, 'signature'>): SignedManifest {
    return this.signOrder(manifest);
  }

  /** Signs any other order to a daemon. */
  signOrder<Order extends object>(order: Order): Order & { signature: string } {
    const signature = sign(null, Buffer.from(canonicalJson(order)), this.#privateKey).toString('base64');
    return { ...order, signature };
  }
}

/** Creates the key pair at the first start. Of replicas that start together one wins, and all use its pair. */
export async function openManifestSigner(storage: Storage, vault: Vault): Promise<ManifestSigner> {
  const kept = JSON.parse((await keptSigningKey(storage.reader)) ?? (await makeKey(storage, vault))) as KeptKey;
  const pem = await vault.decrypt(storage.reader, INSTALLATION, kept.sealed, CONTEXT);
  return new ManifestSigner(kept.public_key, createPrivateKey(pem));
}

async function makeKey(storage: Storage, vault: Vault): Promise<string> {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519', {
    publicKeyEncoding: { type: 'spki', format: 'der' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  return await storage.write(async (tx) => {
    const sealed = await vault.encrypt(tx, INSTALLATION, privateKey, CONTEXT);
    const made: KeptKey = { public_key: publicKey.toString('base64'), sealed };
    await claimSigningKey(tx, JSON.stringify(made));
    const kept = await keptSigningKey(tx);
    if (kept === undefined) throw new Error('The signing key could not be read after it was written.');
    return kept;
  });
}
