import Type, { type Static } from 'typebox';
import { endpoint } from '../endpoint.ts';
import { envelope, envelopeOnce, list, paging, Timestamp } from '../envelope.ts';
import { choice, idParam, text } from '../records/fields.ts';
import { CreatedInvite, email } from './members.ts';
import { Account, plans } from './sign-in.ts';

export const ListedAccount = Type.Object(
  { ...Account.properties, users: Type.Integer({ minimum: 0 }), created_at: Timestamp },
  { title: 'ListedAccount' },
);
export type ListedAccount = Static<typeof ListedAccount>;

export const AccountCreate = Type.Object(
  {
    name: text(120),
    plan: Type.Optional(choice(plans, { default: 'free' })),
    owner_email: email,
  },
  {
    title: 'AccountCreate',
    additionalProperties: false,
    examples: [{ name: 'Rose Nursery', plan: 'pro', owner_email: 'rose@example.org' }],
  },
);
export type AccountCreate = Static<typeof AccountCreate>;

export const installationEndpoints = {
  'accounts.list': endpoint({
    method: 'GET',
    path: '/accounts',
    tag: 'accounts',
    summary: 'List all accounts of the installation',
    permission: 'admin',
    query: Type.Object({ ...paging }),
    response: list(ListedAccount),
  }),
  'accounts.create': endpoint({
    method: 'POST',
    path: '/accounts',
    tag: 'accounts',
    summary: 'Create an account and invite its owner',
    permission: 'admin',
    idempotent: true,
    status: 201,
    body: AccountCreate,
    response: envelopeOnce(Type.Object({ account: ListedAccount, invite: CreatedInvite })),
  }),
  'accounts.setPlan': endpoint({
    method: 'PUT',
    path: '/accounts/{id}/plan',
    tag: 'accounts',
    summary: 'Change the plan of an account',
    description: 'The new limits apply from the next request.',
    permission: 'admin',
    params: Type.Object({ id: idParam('Id of an account.') }),
    body: Type.Object({ plan: choice(plans) }, { additionalProperties: false, examples: [{ plan: 'pro' }] }),
    response: envelope(ListedAccount),
  }),
};
