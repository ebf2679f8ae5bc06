import type { KeyObject } from 'node:crypto';
import { agentFileName } from '@hortus/contract/releases/agent-file';
import type { UpdateOrder } from '@hortus/contract/releases/daemon-update';
import type { ReleaseSignature } from '@hortus/contract/releases/release-signature';
import { isSignedBy } from '../trust/manifest-signature.ts';
import { compareVersions } from './compare-versions.ts';
import { releaseKeyId } from './release-key.ts';
import { UpdateRefusal } from './update-refusal.ts';

/** The running daemon, against which an ordered release is checked. */
export interface RunningRelease {
  readonly version: string;
  /** Public keys built into it. */
  readonly keys: readonly KeyObject[];
  /** Oldest version that the policy of this server allows. */
  readonly minimum?: string | undefined;
}

/** File name of releases for this machine. */
export const localReleaseFile = (arch: string = process.arch): string =>
  agentFileName({ os: 'linux', arch: arch === 'arm64' ? 'arm64' : 'amd64' });

/** Throws unless the release is signed with a known key, made for this platform and not older than the daemon. */
export function checkRelease(
  { release, allow_downgrade = false }: Pick<UpdateOrder, 'release' | 'allow_downgrade'>,
  { version, keys, minimum }: RunningRelease,
): void {
  if (keys.length === 0)
    throw new UpdateRefusal(
      'no_release_key',
      'This daemon was built without a release key and trusts no update. Install a binary built with `npm run build:daemon -- --sign <key file>`.',
    );
  requireSignature(release, keys);
  const file = localReleaseFile();
  if (release.file !== file)
    throw new UpdateRefusal('other_platform', `The release is ${release.file}, but this server needs ${file}.`);
  // Also if the service allows a downgrade: the policy belongs to the operator of this server.
  if (minimum !== undefined && compareVersions(release.version, minimum) < 0)
    throw new UpdateRefusal(
      'below_minimum',
      `The release ${release.version} is older than ${minimum}, the min_daemon_version of policy.yaml on this server.`,
    );
  if (!allow_downgrade && compareVersions(release.version, version) < 0)
    throw new UpdateRefusal(
      'older_version',
      `The release ${release.version} is older than the running version ${version}. Order the update with allow_downgrade to go back.`,
    );
}

function requireSignature(release: ReleaseSignature, keys: readonly KeyObject[]): void {
  const { key_id } = release;
  const named = key_id === undefined ? keys : keys.filter((key) => releaseKeyId(key) === key_id);
  if (named.length === 0)
    throw new UpdateRefusal(
      'unknown_key',
      `Release ${release.version} is signed with key ${key_id}; this daemon trusts ${keys.map(releaseKeyId).join(', ')}.`,
    );
  if (!named.some((key) => isSignedBy(key, release)))
    throw new UpdateRefusal(
      'wrong_signature',
      `The signature of release ${release.version} of ${release.file} is wrong: it was not made with a release key of this daemon, or the release was altered.`,
    );
}
