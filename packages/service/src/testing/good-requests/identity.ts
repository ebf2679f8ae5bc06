import { pageHeaders, pageSession } from '@hortus/testkit/page-session';
import { adminEmail, adminPassword, type Caller, publicUrl } from '../running-service.ts';
import { fresh, type GoodRequests } from './good.ts';

const newKey = () => ({
  name: fresh('key'),
  permissions: ['templates:read' as const],
  expires_at: '2099-01-01T00:00:00Z',
  allowed_cidrs: ['192.0.2.0/24'],
});

const anInvite = async ({ client }: Caller) =>
  (await client.call('members.invite', { body: { email: `${fresh('guest')}@example.org` } })).data;

const memberPassword = 'a password of mine';

/** Creates a member by an invitation and its acceptance. */
const aMember = async (caller: Caller) => {
  const { token } = await anInvite(caller);
  const { user } = (await caller.client.call('members.accept', { body: { token, password: memberPassword } })).data;
  return { id: user?.id ?? '', email: user?.email ?? '' };
};

const credentials = { email: adminEmail, password: adminPassword };

/** Signs in, by default as the owner of the first account, and returns the headers of our own pages. */
export async function signedIn({ request }: Caller, body = credentials): Promise<Record<string, string>> {
  const { headers, json } = await request('POST', '/account/login', { body, key: null });
  return pageHeaders(pageSession(headers, json.data), publicUrl);
}

export const identityRequests = {
  'account.login': () => ({ body: credentials }),
  'account.logout': async (caller) => ({ headers: await signedIn(caller) }),
  'account.read': () => ({}),
  'account.changeProfile': async (caller) => ({ headers: await signedIn(caller), body: { name: 'Mira Aalto' } }),
  'account.changePassword': async (caller) => ({
    headers: await signedIn(caller),
    // The same password, so that later sign-ins still work.
    body: { current_password: adminPassword, new_password: adminPassword },
  }),
  'account.sessions': async (caller) => {
    const { email } = await aMember(caller);
    return { headers: await signedIn(caller, { email, password: memberPassword }) };
  },
  'account.endSession': async (caller) => {
    await signedIn(caller);
    const headers = await signedIn(caller);
    const { json } = await caller.request('GET', '/account/sessions', { headers, key: null });
    const other = json.data.find(({ current }: { current: boolean }) => !current);
    return { headers, params: { id: String(other.id) } };
  },
  'account.endOtherSessions': async (caller) => ({ headers: await signedIn(caller) }),
  'members.list': () => ({}),
  'members.remove': async (caller) => ({ params: { id: (await aMember(caller)).id }, query: { keys: 'keep' } }),
  'members.grant': async (caller) => ({
    params: { id: (await aMember(caller)).id },
    body: { permissions: ['instances:shell'] },
  }),
  'members.resetPassword': async (caller) => ({ params: { id: (await aMember(caller)).id } }),
  'members.setPassword': async (caller) => {
    const { id } = await aMember(caller);
    const { token } = (await caller.client.call('members.resetPassword', { params: { id } })).data;
    return { body: { token, new_password: 'a new password' } };
  },
  'members.invites': async (caller) => {
    await anInvite(caller);
    return {};
  },
  'members.invite': () => ({ body: { email: `${fresh('guest')}@example.org`, role: 'owner' } }),
  'members.revokeInvite': async (caller) => ({ params: { id: (await anInvite(caller)).id } }),
  'members.accept': async (caller) => ({
    body: { token: (await anInvite(caller)).token, password: memberPassword },
  }),
  'members.firstRun': async (caller) => {
    const token = await caller.firstLink((await aMember(caller)).id);
    return { body: { token, name: 'Mira Aalto', email: `${fresh('mira')}@example.org`, password: memberPassword } };
  },
  'overview.read': () => ({}),
  'accounts.list': () => ({}),
  'accounts.create': () => ({
    body: { name: fresh('Nursery'), plan: 'pro', owner_email: `${fresh('owner')}@example.org` },
  }),
  'accounts.setPlan': async ({ accountId }) => ({ params: { id: accountId }, body: { plan: 'enterprise' } }),
  'keys.permissions': () => ({}),
  'keys.list': () => ({}),
  'keys.create': () => ({ body: newKey() }),
  'keys.revoke': async ({ client }) => ({
    params: { id: (await client.call('keys.create', { body: newKey() })).data.id },
  }),
  'settings.list': () => ({}),
} satisfies Partial<GoodRequests>;
