import type { AccountMail } from '../../mail/account-mail.ts';
import type { InviteRow, UserRow } from './store.ts';

/** The texts name no account and no person: a stranger who gets one by mistake learns nothing. */
export const inviteMail = ({ account_id, email }: InviteRow, link: string): AccountMail => ({
  accountId: account_id,
  to: email,
  subject: 'You are invited to Hortus',
  text: `You are invited to an account of Hortus. Choose a password within 7 days:\n\n${link}\n\nIf you do not know what this is about, ignore this mail.\n`,
});

export const resetMail = ({ account_id, email }: UserRow, link: string): AccountMail => ({
  accountId: account_id,
  to: email,
  subject: 'A new password for Hortus',
  text: `An owner of your account has ordered a new password for you. Set it within 24 hours:\n\n${link}\n\nUntil then the old one stays valid.\n`,
});
