import type { Server } from '@hortus/contract/resources/server-records';
import { isSealingKey, sealingKeyFingerprint } from '@hortus/template/sealing/sealing-key';
import { Problem } from '../../problem.ts';
import { isoOrNull } from '../../records/time.ts';
import type { ServerRow } from './store.ts';

export type IdentityColumns = Pick<
  ServerRow,
  'identity_key' | 'identity_pinned_at' | 'identity_conflict' | 'identity_conflict_at'
>;

/** `first` is to be pinned; `none` is a daemon of the published interface on a server without a pinned key. */
export type Verdict = 'pinned' | 'first' | 'none' | 'conflict' | 'malformed';

/** Compares the key that a daemon presents with the pinned one. */
export function judgeIdentity({ identity_key }: Pick<IdentityColumns, 'identity_key'>, shown: string | null): Verdict {
  if (identity_key !== null) return shown === identity_key ? 'pinned' : 'conflict';
  if (shown === null) return 'none';
  return isSealingKey(shown) ? 'first' : 'malformed';
}

/** Limits the writes caused by a daemon that keeps trying. */
const CONFLICT_EVERY_MS = 60_000;

export const isNewConflict = ({ identity_conflict_at }: IdentityColumns, now: number): boolean =>
  identity_conflict_at === null || now - identity_conflict_at >= CONFLICT_EVERY_MS;

export const conflictColumns = (shown: string | null, now: number) => ({
  identity_conflict: shown !== null && isSealingKey(shown) ? shown : '',
  identity_conflict_at: now,
});

/** Short enough for the reason of a WebSocket close (123 bytes). */
export const identityConflict = () =>
  new Problem('FORBIDDEN', 'Another key pair is pinned for this server. See `hortus servers reset-identity`.', {
    reason: 'identity',
  });

export const malformedIdentity = () =>
  new Problem('FORBIDDEN', 'sealing_key: must be an X25519 public key, base64 of its SPKI.', { reason: 'identity' });

export function identityRecord(row: IdentityColumns): Server['identity'] {
  const pinned = row.identity_key !== null;
  return {
    status: !pinned ? 'unpinned' : row.identity_conflict_at === null ? 'pinned' : 'conflict',
    fingerprint: fingerprintOrNull(row.identity_key),
    pinned_at: isoOrNull(row.identity_pinned_at),
    conflicting_fingerprint: fingerprintOrNull(row.identity_conflict),
    conflict_seen_at: isoOrNull(row.identity_conflict_at),
  };
}

const fingerprintOrNull = (key: string | null): string | null =>
  key === null || key === '' ? null : sealingKeyFingerprint(key);
