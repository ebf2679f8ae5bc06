import { endOtherSessions } from '../../identity/sessions.ts';
import type { Tx } from '../../storage/storage.ts';
import type { Row } from '../../storage/tables.ts';
import { replacePassword } from './store.ts';

/** Sets the password of a user and ends all sessions except `kept`; undefined if there is no such user. */
export async function setPassword(
  tx: Tx,
  userId: string,
  passwordHash: string,
  kept?: string,
): Promise<Row<'users'> | undefined> {
  const user = await replacePassword(tx, userId, passwordHash);
  if (user) await endOtherSessions(tx, user.id, kept);
  return user;
}
