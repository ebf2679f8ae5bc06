import Type, { type Static } from 'typebox';
import { endpoint } from '../endpoint.ts';
import { envelope, list, paging, Timestamp } from '../envelope.ts';
import { pageTokenHeader } from '../protocol/page-token.ts';
import { choice, id, idParam, nullable, secret, text } from '../records/fields.ts';
import { Quotas } from './quotas.ts';

/** Name of the session cookie of the console without TLS. */
export const sessionCookie = 'hortus_session';
/** Name of the session cookie over TLS: browsers accept the prefix only from this host, with Secure. */
export const hostSessionCookie = `__Host-${sessionCookie}`;

export const plans = ['free', 'pro', 'enterprise'] as const;

export const Account = Type.Object(
  {
    id: id('account'),
    name: Type.String(),
    plan: choice(plans, { description: 'Determines the rate limit and quotas.' }),
  },
  { title: 'Account' },
);
export type Account = Static<typeof Account>;

export const User = Type.Object(
  {
    id: id('user'),
    email: Type.String(),
    name: nullable(Type.String(), { description: 'Name of the person; null until given.' }),
    role: choice(['owner', 'member'], { description: 'Role within the account.' }),
    admin: Type.Boolean({ description: 'Whether the user administers the installation.' }),
    granted_permissions: Type.Array(Type.String(), { description: 'Permissions beyond those of the role.' }),
    created_at: Timestamp,
  },
  { title: 'User' },
);
export type User = Static<typeof User>;

export const Session = Type.Object(
  {
    kind: choice(['user', 'key', 'session'], { description: 'How the caller authenticated.' }),
    user: nullable(User, { description: 'Null for a key whose user was removed.' }),
    account: Account,
    permissions: Type.Array(Type.String(), {
      description: 'Permissions of the caller.',
      examples: [['templates:read']],
    }),
    quotas: Type.Optional(Quotas),
  },
  { title: 'Session' },
);
export type Session = Static<typeof Session>;

export const NewSession = Type.Object(
  {
    ...Session.properties,
    page_token: secret({
      description: `The second half of the session, shown once: send it as ${pageTokenHeader} with every request of the session.`,
      replacement: 'Sign in again.',
    }),
  },
  { title: 'NewSession' },
);
export type NewSession = Static<typeof NewSession>;

export const SignedInSession = Type.Object(
  {
    id: id('session'),
    current: Type.Boolean({ description: 'Whether it is the session of this request.' }),
    address: nullable(Type.String(), { description: 'Address of the client at sign-in.' }),
    user_agent: nullable(Type.String()),
    created_at: Timestamp,
    last_seen_at: Timestamp,
    expires_at: Timestamp,
    ended_at: nullable(Timestamp),
  },
  { title: 'SignedInSession' },
);
export type SignedInSession = Static<typeof SignedInSession>;

const password = (description: string, minLength: number) => Type.String({ minLength, maxLength: 256, description });

export const Login = Type.Object(
  { email: text(254), password: password('The password.', 1) },
  { title: 'Login', additionalProperties: false },
);
export type Login = Static<typeof Login>;

export const ProfileChange = Type.Object(
  { name: text(120, { description: 'Name of the person.' }) },
  { title: 'ProfileChange', additionalProperties: false, examples: [{ name: 'Mira Aalto' }] },
);
export type ProfileChange = Static<typeof ProfileChange>;

export const PasswordChange = Type.Object(
  {
    current_password: password('The current password.', 1),
    new_password: password('From 10 to 256 characters.', 10),
  },
  { title: 'PasswordChange', additionalProperties: false },
);
export type PasswordChange = Static<typeof PasswordChange>;

export const signInEndpoints = {
  'account.login': endpoint({
    method: 'POST',
    path: '/account/login',
    tag: 'account',
    summary: 'Sign in with email and password',
    description:
      'Sets a session cookie that scripts cannot read, and answers with the page token that every request of the session needs beside it. Programs use API keys instead.',
    permission: 'public',
    errors: ['UNAUTHORIZED'],
    body: Login,
    response: envelope(NewSession),
  }),
  'account.logout': endpoint({
    method: 'POST',
    path: '/account/logout',
    tag: 'account',
    summary: 'Sign out',
    description: 'Ends the session of the cookie and clears it.',
    permission: 'session',
    response: envelope(Type.Object({ signed_out: Type.Literal(true) })),
  }),
  'account.read': endpoint({
    method: 'GET',
    path: '/account',
    tag: 'account',
    summary: 'Read who the caller is and what it may do',
    permission: 'session',
    response: envelope(Session),
  }),
  'account.changeProfile': endpoint({
    method: 'PATCH',
    path: '/account/profile',
    tag: 'account',
    summary: 'Change the name of the signed-in user',
    permission: 'session',
    body: ProfileChange,
    response: envelope(User),
  }),
  'account.changePassword': endpoint({
    method: 'POST',
    path: '/account/password',
    tag: 'account',
    summary: 'Change the password of the signed-in user',
    description: 'Ends every other session of the user.',
    permission: 'session',
    body: PasswordChange,
    response: envelope(User),
  }),
  'account.sessions': endpoint({
    method: 'GET',
    path: '/account/sessions',
    tag: 'account',
    summary: 'List the sessions of the signed-in user, newest first',
    permission: 'session',
    query: Type.Object({ ...paging }),
    response: list(SignedInSession),
  }),
  'account.endSession': endpoint({
    method: 'DELETE',
    path: '/account/sessions/{id}',
    tag: 'account',
    summary: 'End a session of the signed-in user',
    description: 'It ends at once, on every replica.',
    permission: 'session',
    params: Type.Object({ id: idParam('Id of a session.') }),
    response: envelope(SignedInSession),
  }),
  'account.endOtherSessions': endpoint({
    method: 'DELETE',
    path: '/account/sessions',
    tag: 'account',
    summary: 'End all other sessions of the signed-in user',
    permission: 'session',
    response: envelope(Type.Object({ ended: Type.Integer({ minimum: 0 }) })),
  }),
};
