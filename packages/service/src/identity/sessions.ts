import { newId } from '../records/ids.ts';
import type { Tx } from '../storage/storage.ts';
import type { Row } from '../storage/tables.ts';
import { KEYS_TOPIC } from './credential-cache.ts';
import { deleteExpiredSessions, insertSession, markSessionEnded, markSessionsEnded } from './store.ts';
import type { SessionTokens } from './tokens.ts';

/** Maximum lifetime of a session; it ends earlier if it is idle (HORTUS_SESSION_IDLE_MINUTES). */
const LASTS_MS = 14 * 24 * 60 * 60_000;

export interface Session {
  readonly id: string;
  readonly expiresAt: number;
}

/** Shown to the user to identify a session. */
export interface Origin {
  readonly address: string;
  readonly userAgent: string | undefined;
}

export async function startSession(
  tx: Tx,
  user: Pick<Row<'users'>, 'id' | 'account_id'>,
  { cookie, page }: SessionTokens,
  { address, userAgent }: Origin,
): Promise<Session> {
  // Bounds the number of rows of a user.
  await deleteExpiredSessions(tx, user.id);
  const session = { id: newId('session'), expiresAt: tx.now + LASTS_MS };
  await insertSession(tx, {
    id: session.id,
    hash: cookie.hash,
    page_hash: page.hash,
    user_id: user.id,
    account_id: user.account_id,
    created_at: tx.now,
    expires_at: session.expiresAt,
    address,
    user_agent: userAgent ?? null,
    last_seen_at: tx.now,
    ended_at: null,
  });
  return session;
}

export async function endSession(tx: Tx, id: string): Promise<void> {
  const hash = await markSessionEnded(tx, id);
  if (hash !== undefined) tx.notify(KEYS_TOPIC, hash);
}

/** Returns the number of ended sessions. */
export async function endOtherSessions(tx: Tx, userId: string, kept?: string): Promise<number> {
  const hashes = await markSessionsEnded(tx, userId, kept);
  for (const hash of hashes) tx.notify(KEYS_TOPIC, hash);
  return hashes.length;
}

export const endAllSessions = (tx: Tx, userId: string): Promise<number> => endOtherSessions(tx, userId);
