import { generateKeyPair } from 'node:crypto';
import { promisify } from 'node:util';
import type { Secret } from '@hortus/contract/template/secrets';

const encodings = {
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
} as const;

const generate = promisify(generateKeyPair);

/**
 * Generates PEM texts, PKCS #8 and SPKI. Runs off the main thread: an RSA key takes tens to hundreds of milliseconds.
 */
export async function keypair({ algorithm, bits }: Secret): Promise<{ privateKey: string; publicKey: string }> {
  return algorithm === 'rsa'
    ? generate('rsa', { modulusLength: bits ?? 2048, ...encodings })
    : generate('ed25519', encodings);
}
