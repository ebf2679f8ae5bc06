import { endpointRows } from '@hortus/contract/endpoints';
import { type Permission, permissionNames } from '@hortus/contract/permissions';
import { secretFieldsOf } from '@hortus/contract/records/secret-fields';
import { beforeAll, expect, it } from 'vitest';
import { onBothEngines } from '../testing/engines.ts';
import { goodRequest } from '../testing/good-requests.ts';
import { expectRefusal } from '../testing/published-response.ts';
import { insertKeyRow, type RunningService, startApp } from '../testing/running-service.ts';

const ordinary = permissionNames.filter((name) => name !== 'admin');

/**
 * Rows that hand out a credential. Those of servers are left out: a new server reaches nothing yet, and who may rotate
 * the key of one is tested with the servers. So are those of gardens: their secret only announces pushes, and who gets it may
 * have the repository read anyway. Public rows return a session for the password or the invite in the body.
 */
const minting = endpointRows.filter(
  ([name, row]) =>
    secretFieldsOf(row.response).length > 0 &&
    !/^(servers|gardens)\./.test(name) &&
    row.permission !== 'admin' &&
    row.permission !== 'public',
);

onBothEngines((engine) => {
  let service: RunningService;
  const victims = new Map<Permission, string>();
  let owner: string;
  let member: string;
  let invite: string;

  beforeAll(async () => {
    service = await startApp(engine);
    for (const permission of permissionNames) {
      const body = { name: permission, permissions: [permission] };
      victims.set(permission, (await service.client.call('keys.create', { body })).data.id);
    }
    owner = (await service.request('GET', '/account/members')).json.data[0].id;
    member = String((await goodRequest('members.resetPassword', service)).params.id);
    invite = String((await goodRequest('members.revokeInvite', service)).params.id);
  });

  const keyWith = (permissions: readonly Permission[], limits: object = {}) =>
    insertKeyRow(service.database, {
      account_id: service.accountId,
      permissions: JSON.stringify(permissions),
      ...limits,
    });

  const onUsers = (): readonly (readonly [string, string, object?])[] => [
    ['POST', '/account/invites', { email: 'owner-to-be@example.org', role: 'owner' }],
    ['POST', '/account/invites', { email: 'member-to-be@example.org', role: 'member' }],
    ['DELETE', `/account/invites/${invite}`],
    ['POST', `/account/members/${owner}/password-reset`],
    ['POST', `/account/members/${member}/password-reset`],
    ['DELETE', `/account/members/${member}`],
  ];

  it.each(ordinary)('a key with %s and account:write obtains and revokes nothing more', async (permission) => {
    const granted: readonly Permission[] = [permission, 'account:write'];
    const key = await keyWith(granted);
    const beyond = permissionNames.filter((name) => !granted.includes(name));
    await Promise.all([
      ...beyond.flatMap(async (name) => {
        const body = { name: 'more', permissions: [permission, name] };
        expectRefusal(await service.request('POST', '/account/keys', { key, body }), 'FORBIDDEN');
        expectRefusal(await service.request('DELETE', `/account/keys/${victims.get(name)}`, { key }), 'FORBIDDEN');
      }),
      ...onUsers().map(async ([method, path, body]) =>
        expectRefusal(await service.request(method, path, { key, ...(body && { body }) }), 'FORBIDDEN'),
      ),
    ]);
    const { data } = (await service.request('GET', '/account/keys?per_page=100')).json;
    expect(data.filter(({ revoked_at }: { revoked_at: string | null }) => revoked_at !== null)).toEqual([]);
  });

  it.each(minting)('%s returns no credential to a key that has only its permission', async (name, row) => {
    const { method, path, options } = await goodRequest(name, service);
    const key = await keyWith([row.permission as Permission]);
    expectRefusal(await service.request(method, path, { ...options, key }), 'FORBIDDEN');
  });

  it.each([
    ['an expiry', { expires_at: 32_503_680_000_000 }],
    ['a network list', { allowed_cidrs: '["127.0.0.0/8"]' }],
  ])('a key with %s cannot create or take over a user, which would bypass that limit', async (_limit, limits) => {
    const key = await keyWith(permissionNames, limits);
    for (const [method, path, body] of onUsers())
      expectRefusal(await service.request(method, path, { key, ...(body && { body }) }), 'FORBIDDEN');
  });

  it('a caller without owner permissions cannot revoke the invite of an owner by inviting the same user as a member', async () => {
    const email = 'promised@example.org';
    await service.client.call('members.invite', { body: { email, role: 'owner' } });
    // All that a member has, and what inviting needs; an owner has data:export as well.
    const key = await keyWith(ordinary.filter((name) => name !== 'data:export'));
    const again = { key, body: { email, role: 'member' } };
    expectRefusal(await service.request('POST', '/account/invites', again), 'FORBIDDEN');
    const { data } = (await service.request('GET', '/account/invites')).json;
    expect(data[0]).toMatchObject({ email, role: 'owner', status: 'open' });
  });
});
