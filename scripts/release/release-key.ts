import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve, sep } from 'node:path';

const repository = realpathSync(join(import.meta.dirname, '../..'));

/**
 * Creates the key pair that releases are signed with, and returns the public key. Refuses to write into the repository, where a
 * commit could publish the private key, and to replace a file: daemons trust the key that they were built with.
 */
export function makeReleaseKey(file: string): string {
  const folder = realpathSync(dirname(resolve(file)));
  if (`${folder}${sep}`.startsWith(`${repository}${sep}`))
    throw new Error(`${file} is inside the repository; a private key must stay outside of it.`);
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  writeFileSync(file, privateKey.export({ format: 'pem', type: 'pkcs8' }), { mode: 0o600, flag: 'wx' });
  return publicKeyText(publicKey);
}

export function readPrivateKey(file: string): KeyObject {
  const key = createPrivateKey(readFileSync(file));
  if (key.asymmetricKeyType !== 'ed25519') throw new Error(`${file} is not an Ed25519 private key.`);
  return key;
}

/** Returns the public key of a private one in the form that is built into daemons. */
export const publicKeyOf = (privateKey: KeyObject): string => publicKeyText(createPublicKey(privateKey));

const publicKeyText = (key: KeyObject): string => key.export({ format: 'der', type: 'spki' }).toString('base64');
