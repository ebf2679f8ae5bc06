import type { Bundle } from '@hortus/contract/resources/imports';
import type { Hardening } from './keys.ts';

/**
 * A bundle is one file: a line that says so, a line of JSON for whoever has the passphrase, and sections. The first section is the
 * definition with its secrets, as JSON; then comes each volume, as a compressed tar archive; the last one says what the volumes
 * were, so that a file that ends before it is not whole.
 */
export const MARK = 'HORTUS-BUNDLE';
export const FORMAT = 1;
export const LONGEST_HEADER = 4_096;

export interface Header {
  readonly scrypt: Hardening;
  readonly check: string;
}

export interface KeptVolume {
  readonly name: string;
  /** Of the archive, before compression. */
  readonly bytes: number;
  readonly sha256: string;
}

export interface Contents {
  readonly bundle: Bundle;
}

export interface Ending {
  readonly volumes: readonly KeptVolume[];
}
