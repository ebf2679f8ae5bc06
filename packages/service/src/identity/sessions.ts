import { newId } from '../ids.ts';
import type { Tx } from '../storage/storage.ts';
import type { Row } from '../storage/tables.ts';
import { KEYS_TOPIC } from './credential-cache.ts';
import { deleteExpiredSessions, deleteSession, deleteSessionsOf, insertSession } from './store.ts';
import type { Token } from './tokens.ts';

/** A session ends this long after the sign-in, used or not. */
const LASTS_MS = 14 * 24 * 60 * 60_000;

export interface Session {
  readonly id: string;
  readonly expiresAt: number;
}

export async function startSession(
  tx: Tx,
  user: Pick<Row<'users'>, 'id' | 'account_id'>,
  token: Token,
): Promise<Session> {
  // Those that ran out go along, so that nobody's list of sessions grows for ever.
  await deleteExpiredSessions(tx, user.id);
  const session = { id: newId('session'), expiresAt: tx.now + LASTS_MS };
  await insertSession(tx, {
    id: session.id,
    hash: token.hash,
    user_id: user.id,
    account_id: user.account_id,
    created_at: tx.now,
    expires_at: session.expiresAt,
  });
  return session;
}

export async function endSession(tx: Tx, id: string): Promise<void> {
  const hash = await deleteSession(tx, id);
  if (hash !== undefined) tx.notify(KEYS_TOPIC, hash);
}

export async function endOtherSessions(tx: Tx, userId: string, kept: string): Promise<void> {
  for (const hash of await deleteSessionsOf(tx, userId, kept)) tx.notify(KEYS_TOPIC, hash);
}

export async function endAllSessions(tx: Tx, userId: string): Promise<void> {
  for (const hash of await deleteSessionsOf(tx, userId)) tx.notify(KEYS_TOPIC, hash);
}
