import type { Bundle } from '@hortus/contract/resources/imports';
import type { Hardening } from './keys.ts';

/**
 * A bundle is one file: a magic line, a line of JSON with the key parameters, and encrypted sections. The first section is the
 * definition with its secrets, as JSON; then follows each volume, as a compressed tar archive; the last section lists the
 * volumes, so that a truncated file is detected.
 */
export const MARK = 'HORTUS-BUNDLE';
export const FORMAT = 1;
export const MAX_HEADER_LENGTH = 4_096;

export interface Header {
  readonly scrypt: Hardening;
  readonly check: string;
}

export interface KeptVolume {
  readonly name: string;
  /** Size of the archive before compression. */
  readonly bytes: number;
  readonly sha256: string;
}

export interface Contents {
  readonly bundle: Bundle;
}

export interface Ending {
  readonly volumes: readonly KeptVolume[];
}
