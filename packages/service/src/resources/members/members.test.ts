import { pageHeaders, pageSession } from '@hortus/testkit/page-session';
import { beforeAll, describe, expect, it } from 'vitest';
import { onBothEngines } from '../../testing/engines.ts';
import { expectRefusal } from '../../testing/published-response.ts';
import { adminEmail, publicUrl, type RunningService, startApp } from '../../testing/running-service.ts';

const PASSWORD = 'a password of mine';

onBothEngines((engine) => {
  let service: RunningService;
  let number = 0;
  const fresh = () => `guest-${++number}@example.org`;

  beforeAll(async () => {
    service = await startApp(engine);
  });

  const invite = async (role: 'owner' | 'member' = 'member', email = fresh()) =>
    (await service.client.call('members.invite', { body: { email, role } })).data;
  const accept = (token: string, password = PASSWORD) =>
    service.request('POST', '/account/invites/accept', { body: { token, password }, key: null });
  const login = (email: string, password: string) =>
    service.request('POST', '/account/login', { body: { email, password }, key: null });
  async function member(role: 'owner' | 'member' = 'member') {
    const { token, email } = await invite(role);
    const { json, headers } = await accept(token);
    const session = pageHeaders(pageSession(headers, json.data), publicUrl);
    const asked = (method: string, path: string, body?: object) =>
      service.request(method, path, { key: null, headers: session, ...(body && { body }) });
    return { id: json.data.user.id as string, email, asked };
  }

  describe('an invite', () => {
    it('lets one person in, once, with its role and signed in', async () => {
      const { token, email, accept_url, status } = await invite('member', 'Fern@Example.org');
      expect([email, status, accept_url]).toEqual(['fern@example.org', 'open', `${publicUrl}/invite#${token}`]);
      const { status: responded, json } = await accept(token);
      expect(responded).toBe(200);
      expect(json.data).toMatchObject({ kind: 'session', user: { email, role: 'member', admin: false } });
      expect(json.data.permissions).not.toContain('account:write');
      expect((await login(email, PASSWORD)).status).toBe(200);
      expectRefusal(await accept(token), 'UNAUTHORIZED');
      const { data } = (await service.request('GET', '/account/invites')).json;
      expect(data[0]).toMatchObject({ email, status: 'accepted' });
      expect(JSON.stringify(data)).not.toContain(token);
    });

    it('lets one of two concurrent users in', async () => {
      const { token } = await invite();
      const responses = await Promise.all([accept(token), accept(token, 'another password')]);
      expect(responses.map(({ status }) => status).sort()).toEqual([200, 401]);
    });

    it('is invalid once revoked, replaced or expired', async () => {
      const revoked = await invite();
      await service.request('DELETE', `/account/invites/${revoked.id}`);
      const email = fresh();
      const [first, second] = [await invite('member', email), await invite('member', email)];
      const old = await invite();
      await service.database.db.updateTable('invites').set({ expires_at: 1 }).where('id', '=', old.id).execute();
      for (const { token } of [revoked, first, old]) expectRefusal(await accept(token), 'UNAUTHORIZED');
      expect((await accept(second.token)).status).toBe(200);
      const request = { body: { email } };
      expectRefusal(await service.request('POST', '/account/invites', request), 'VALIDATION_ERROR', 'email');
    });

    it('grants no more permissions than the inviter has', async () => {
      const body = { name: 'office', permissions: ['account:write' as const] };
      const { key } = (await service.client.call('keys.create', { body })).data;
      for (const role of ['owner', 'member']) {
        const response = await service.request('POST', '/account/invites', { key, body: { email: fresh(), role } });
        expectRefusal(response, 'FORBIDDEN');
      }
    });
  });

  describe('a password reset', () => {
    const order = (id: string, key = service.key) =>
      service.request('POST', `/account/members/${id}/password-reset`, { key });
    const reset = (token: string, new_password = 'quite another one') =>
      service.request('POST', '/account/password-reset', { body: { token, new_password }, key: null });

    it('sets a new password once and ends every session', async () => {
      const { id, email, asked } = await member();
      const { token, reset_url } = (await order(id)).json.data;
      expect(reset_url).toBe(`${publicUrl}/password-reset#${token}`);
      expect((await asked('GET', '/account')).status).toBe(200);
      expect((await reset(token)).status).toBe(200);
      expect((await asked('GET', '/account')).status).toBe(401);
      expect((await login(email, PASSWORD)).status).toBe(401);
      expect((await login(email, 'quite another one')).status).toBe(200);
      expectRefusal(await reset(token), 'UNAUTHORIZED');
    });

    it('is invalid once replaced or expired', async () => {
      const { id } = await member();
      const first = (await order(id)).json.data.token;
      const second = (await order(id)).json.data.token;
      expectRefusal(await reset(first), 'UNAUTHORIZED');
      await service.database.db
        .updateTable('password_resets')
        .set({ expires_at: 1 })
        .where('user_id', '=', id)
        .execute();
      expectRefusal(await reset(second), 'UNAUTHORIZED');
    });

    it('cannot be used to become an admin', async () => {
      const owner = await member('owner');
      const { data } = (await owner.asked('GET', '/account/members?per_page=100')).json;
      const admin = data.find(({ email }: { email: string }) => email === adminEmail);
      expectRefusal(await owner.asked('POST', `/account/members/${admin.id}/password-reset`), 'FORBIDDEN');
      expectRefusal(await owner.asked('DELETE', `/account/members/${admin.id}`), 'FORBIDDEN');
    });
  });

  it('a removed user is signed out immediately, with the keys they created', async () => {
    const owner = await member('owner');
    const body = { name: 'mine', permissions: ['templates:read'] };
    const { key } = (await owner.asked('POST', '/account/keys', body)).json.data;
    expect((await service.request('GET', '/templates', { key })).status).toBe(200);
    expect((await service.request('DELETE', `/account/members/${owner.id}`)).status).toBe(200);
    expect((await owner.asked('GET', '/account')).status).toBe(401);
    expect((await service.request('GET', '/templates', { key })).status).toBe(401);
    expect((await login(owner.email, PASSWORD)).status).toBe(401);
  });

  it('the last owner cannot be removed', async () => {
    const body = { name: 'Rose Nursery', owner_email: fresh() };
    const { account, invite: made } = (await service.client.call('accounts.create', { body })).data;
    expect([account.plan, account.users, made.role]).toEqual(['free', 0, 'owner']);
    const { json, headers } = await accept(made.token);
    expect(json.data.account).toMatchObject({ name: 'Rose Nursery', plan: 'free' });
    const alone = { key: null, headers: pageHeaders(pageSession(headers, json.data), publicUrl) };
    const refused = await service.request('DELETE', `/account/members/${json.data.user.id}`, alone);
    expectRefusal(refused, 'VALIDATION_ERROR', 'id');
    expect(refused.json.error.details.reason).toBe('last_owner');
    // A plan applies from the next request on, even to a cached session.
    await service.client.call('accounts.setPlan', { params: { id: account.id }, body: { plan: 'pro' } });
    await expect.poll(async () => (await service.request('GET', '/account', alone)).json.data.account.plan).toBe('pro');
  });

  it('permissions are listed, with those of the caller', async () => {
    const body = { name: 'reader', permissions: ['templates:read' as const] };
    const { key } = (await service.client.call('keys.create', { body })).data;
    const { data } = (await service.request('GET', '/permissions?per_page=100', { key })).json;
    const granted = data.filter((item: { granted: boolean }) => item.granted).map(({ name }: { name: string }) => name);
    expect(granted).toEqual(['templates:read']);
    expect(data.every(({ description }: { description: string }) => description.length > 0)).toBe(true);
  });
});
