import Type, { type Static } from 'typebox';
import { endpoint } from '../endpoint.ts';
import { envelope, envelopeOnce, list, paging, Timestamp } from '../envelope.ts';
import { grantablePermissions } from '../permissions.ts';
import { choice, id, idParam, nullable, secret, shownOnce, text } from '../records/fields.ts';
import { NewSession, User } from './sign-in.ts';

export const roles = ['owner', 'member'] as const;
const inviteStates = ['open', 'accepted', 'revoked', 'expired'] as const;

export const Invite = Type.Object(
  {
    id: id('invite'),
    email: Type.String(),
    role: choice(roles),
    status: choice(inviteStates),
    created_by: nullable(Type.String(), { description: 'Id of the user or key that created it.' }),
    created_at: Timestamp,
    expires_at: Timestamp,
  },
  { title: 'Invite' },
);
export type Invite = Static<typeof Invite>;

const inviteAgain = 'Invite the same address again; that invalidates this link.';
const resetAgain = 'Request another password reset; that invalidates this link.';
const token = 'Token of the link. Shown only once.';

export const CreatedInvite = Type.Object(
  {
    ...Invite.properties,
    token: shownOnce({ description: token, replacement: inviteAgain }),
    accept_url: shownOnce({
      description: 'The link to pass on. It is mailed too if the installation has a mail server.',
      replacement: inviteAgain,
    }),
  },
  { title: 'CreatedInvite' },
);
export type CreatedInvite = Static<typeof CreatedInvite>;

export const email = Type.String({ format: 'email', maxLength: 254 });

export const InviteCreate = Type.Object(
  { email, role: Type.Optional(choice(roles, { default: 'member' })) },
  { title: 'InviteCreate', additionalProperties: false, examples: [{ email: 'fern@example.org', role: 'member' }] },
);
export type InviteCreate = Static<typeof InviteCreate>;

const tokenInput = Type.String({ minLength: 1, maxLength: 256, description: 'The token of the link.' });
const newPassword = Type.String({ minLength: 10, maxLength: 256, description: 'From 10 to 256 characters.' });

const personName = text(120, { description: 'Name of the person.' });

export const InviteAcceptance = Type.Object(
  { token: tokenInput, password: newPassword, name: Type.Optional(personName) },
  { title: 'InviteAcceptance', additionalProperties: false },
);
export type InviteAcceptance = Static<typeof InviteAcceptance>;

export const FirstRun = Type.Object(
  {
    token: tokenInput,
    name: personName,
    email: Type.Optional(email),
    password: newPassword,
  },
  { title: 'FirstRun', additionalProperties: false },
);
export type FirstRun = Static<typeof FirstRun>;

export const PasswordReset = Type.Object(
  { token: tokenInput, new_password: newPassword },
  { title: 'PasswordReset', additionalProperties: false },
);
export type PasswordReset = Static<typeof PasswordReset>;

export const ResetLink = Type.Object(
  {
    user_id: id('user'),
    token: secret({ description: token, replacement: resetAgain }),
    reset_url: secret({
      description: 'The link to pass on. It is mailed too if the installation has a mail server.',
      replacement: resetAgain,
    }),
    expires_at: Timestamp,
  },
  { title: 'ResetLink' },
);
export type ResetLink = Static<typeof ResetLink>;

const MemberPermissions = Type.Object(
  {
    permissions: Type.Array(choice(grantablePermissions), {
      maxItems: 16,
      uniqueItems: true,
      description: 'Replaces those granted before.',
    }),
  },
  { title: 'MemberPermissions', additionalProperties: false, examples: [{ permissions: ['instances:shell'] }] },
);

const ofMember = Type.Object({ id: idParam('Id of a user of the account.') });
const shared = { tag: 'members' } as const;

export const memberEndpoints = {
  'members.list': endpoint({
    ...shared,
    method: 'GET',
    path: '/account/members',
    summary: 'List the users of the account',
    permission: 'account:read',
    query: Type.Object({ ...paging }),
    response: list(User),
  }),
  'members.remove': endpoint({
    ...shared,
    method: 'DELETE',
    path: '/account/members/{id}',
    summary: 'Remove a user from the account',
    description:
      'Ends the sessions of the user at once and revokes the keys it created. The last owner cannot be removed.',
    permission: 'account:write',
    params: ofMember,
    query: Type.Object({
      keys: Type.Optional(
        choice(['revoke', 'keep'], {
          default: 'revoke',
          description: 'keep leaves the keys that the user created valid.',
        }),
      ),
    }),
    response: envelope(User),
  }),
  'members.grant': endpoint({
    ...shared,
    method: 'PUT',
    path: '/account/members/{id}/permissions',
    summary: 'Set the permissions of a member beyond those of the role',
    description: 'Effective at once. Owners have all permissions of the account and cannot be granted any.',
    permission: 'account:write',
    params: ofMember,
    body: MemberPermissions,
    response: envelope(User),
  }),
  'members.resetPassword': endpoint({
    ...shared,
    method: 'POST',
    path: '/account/members/{id}/password-reset',
    summary: 'Create a password reset link for a user',
    description:
      'Valid for one day and one use; a new link invalidates the last one. Pass it on yourself unless the installation has a mail server.',
    permission: 'account:write',
    params: ofMember,
    response: envelope(ResetLink),
  }),
  'members.setPassword': endpoint({
    ...shared,
    method: 'POST',
    path: '/account/password-reset',
    summary: 'Set a new password with a reset token',
    description: 'Ends every session of the user.',
    permission: 'public',
    errors: ['UNAUTHORIZED'],
    body: PasswordReset,
    response: envelope(User),
  }),
  'members.invites': endpoint({
    ...shared,
    method: 'GET',
    path: '/account/invites',
    summary: 'List the invites of the account, newest first',
    permission: 'account:read',
    query: Type.Object({ ...paging }),
    response: list(Invite),
  }),
  'members.invite': endpoint({
    ...shared,
    method: 'POST',
    path: '/account/invites',
    summary: 'Invite a user by link',
    description: 'Valid for seven days and one use; inviting the same address again invalidates the last link.',
    permission: 'account:write',
    idempotent: true,
    status: 201,
    body: InviteCreate,
    response: envelopeOnce(CreatedInvite),
  }),
  'members.revokeInvite': endpoint({
    ...shared,
    method: 'DELETE',
    path: '/account/invites/{id}',
    summary: 'Revoke an invite',
    permission: 'account:write',
    params: Type.Object({ id: idParam('Id of an invite.') }),
    response: envelope(Invite),
  }),
  'members.accept': endpoint({
    ...shared,
    method: 'POST',
    path: '/account/invites/accept',
    summary: 'Accept an invite by setting a password',
    description: 'Creates the user and signs it in.',
    permission: 'public',
    errors: ['UNAUTHORIZED'],
    body: InviteAcceptance,
    response: envelope(NewSession),
  }),
  'members.firstRun': endpoint({
    ...shared,
    method: 'POST',
    path: '/account/first-run',
    summary: 'Sign in as the first owner with the link of the first start',
    description:
      'Sets the name, the password and, if given, the email. The link works once, for 24 hours, and until the owner has signed in.',
    permission: 'public',
    errors: ['UNAUTHORIZED'],
    body: FirstRun,
    response: envelope(NewSession),
  }),
};
