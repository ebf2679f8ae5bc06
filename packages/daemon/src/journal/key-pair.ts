import { createPrivateKey, createPublicKey, generateKeyPairSync, hkdfSync, type KeyObject } from 'node:crypto';
import { chmodSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sealingKeyText } from '@hortus/template/sealing/sealing-key';
import { ConfigError } from '../options/config-error.ts';
import { writeSecretFile } from './secret-file.ts';

/**
 * Key pair of the daemon: secrets for this server are sealed to it, and the journal is encrypted with a key derived
 * from it.
 */
export interface KeyPair {
  /** Base64 of the SPKI. */
  readonly publicKey: string;
  readonly privateKey: KeyObject;
  /** 32 bytes; encrypts the secrets in the journal. */
  readonly journalKey: Buffer;
}

export const keyPairFile = (stateDirectory: string): string => join(stateDirectory, 'identity.key');

/** Reads the key pair of this state directory, or creates one at the first start. */
export function openKeyPair(stateDirectory: string): KeyPair {
  const file = keyPairFile(stateDirectory);
  const privateKey = keptKey(file) ?? madeKey(file);
  const secret = privateKey.export({ format: 'der', type: 'pkcs8' });
  return {
    publicKey: sealingKeyText(createPublicKey(privateKey)),
    privateKey,
    journalKey: Buffer.from(hkdfSync('sha256', secret, '', 'hortusd journal 1', 32)),
  };
}

function keptKey(file: string): KeyObject | undefined {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  chmodSync(file, 0o600);
  try {
    const key = createPrivateKey(text);
    if (key.asymmetricKeyType === 'x25519') return key;
  } catch {
    // Fall through to one message for every kind of damage.
  }
  throw new ConfigError(
    `${file} is not the key pair of a daemon. Restore it, or remove the state directory to start over.`,
  );
}

function madeKey(file: string): KeyObject {
  const { privateKey } = generateKeyPairSync('x25519');
  writeSecretFile(file, privateKey.export({ format: 'pem', type: 'pkcs8' }) as string);
  return privateKey;
}
