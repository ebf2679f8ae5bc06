import type { ReleaseSignature } from '@hortus/contract/releases/release-signature';
import { sha256Of } from './checksum.ts';

/** Answers whether a binary is the one of a release. Only equal versions are worth reading the file. */
export async function sameRelease(binary: string, version: string, release: ReleaseSignature): Promise<boolean> {
  return version === release.version && (await sha256Of(binary).catch(() => '')) === release.sha256;
}
