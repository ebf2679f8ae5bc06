import type { CreatedInvite, Invite, InviteCreate } from '@hortus/contract/resources/members';
import { normalEmail } from '../../identity/email.ts';
import { newSessionToken } from '../../identity/tokens.ts';
import type { SendAccountMail } from '../../mail/account-mail.ts';
import { append } from '../../outbox/append.ts';
import { conflict } from '../../problem.ts';
import { newId } from '../../records/ids.ts';
import { iso } from '../../records/time.ts';
import type { Tx } from '../../storage/storage.ts';
import { inviteMail } from './mails.ts';
import { addInvite, endOpenInvites, type InviteRow, userWithEmail } from './store.ts';

const INVITE_LASTS_MS = 7 * 86_400_000;

export interface Invitation extends InviteCreate {
  readonly accountId: string;
  readonly actor: string | null;
  readonly publicUrl: string;
  readonly mail: SendAccountMail;
  /** Name of the email field in the request. */
  readonly field: string;
  /** Throws if the caller may not revoke an open invite of this role; a new invite replaces it. */
  readonly mayEnd: (role: InviteRow['role']) => void;
}

/** Creates an invite link. The token is in the fragment (#), which browsers do not send, so no log contains it. */
export async function invite(tx: Tx, invitation: Invitation): Promise<CreatedInvite> {
  const { accountId, actor, publicUrl, role = 'member', field } = invitation;
  const email = normalEmail(invitation.email);
  // A user belongs to one account and signs in by email only.
  if (await userWithEmail(tx, email)) throw conflict(field, 'taken', 'a user with this email already exists.');
  for (const ended of await endOpenInvites(tx, accountId, email)) invitation.mayEnd(ended.role);
  const token = newSessionToken();
  const row: InviteRow = {
    id: newId('invite'),
    account_id: accountId,
    email,
    role,
    hash: token.hash,
    created_by: actor,
    created_at: tx.now,
    expires_at: tx.now + INVITE_LASTS_MS,
    ended_at: null,
    outcome: null,
  };
  await addInvite(tx, row);
  await append(tx, {
    type: 'audit.user_invited',
    accountId,
    resourceType: 'invite',
    resourceId: row.id,
    actor,
    data: { invite_id: row.id, email, role },
  });
  const accept_url = `${publicUrl.replace(/\/$/, '')}/invite#${token.token}`;
  await invitation.mail(tx, inviteMail(row, accept_url));
  return { ...inviteRecord(row, tx.now), token: token.token, accept_url };
}

export const inviteRecord = (row: InviteRow, now: number): Invite => ({
  id: row.id,
  email: row.email,
  role: row.role,
  status: row.outcome ?? (row.expires_at <= now ? 'expired' : 'open'),
  created_by: row.created_by,
  created_at: iso(row.created_at),
  expires_at: iso(row.expires_at),
});
