import { beforeAll, describe, expect, it } from 'vitest';
import { onBothEngines } from '../../testing/engines.ts';
import { expectRefusal } from '../../testing/published-response.ts';
import { insertKeyRow, type RunningService, startApp } from '../../testing/running-service.ts';

onBothEngines((engine) => {
  let service: RunningService;
  beforeAll(async () => {
    service = await startApp(engine);
  });

  async function cluster(caller: Pick<RunningService, 'request'> = service) {
    const body = { name: 'swarm-1', environment: 'staging', kind: 'cluster' };
    const { json, status } = await caller.request('POST', '/servers/register', { body });
    expect(status).toBe(201);
    const { id, api_key: key, member_id } = json.data as { id: string; api_key: string; member_id: string };
    const path = `/servers/${id}`;
    return {
      id,
      key,
      member_id,
      data: json.data,
      path,
      members: async () => (await caller.request('GET', `${path}/members`)).json.data as { id: string; name: string }[],
      add: (name: string, more: object = {}) => caller.request('POST', `${path}/members`, { body: { name }, ...more }),
      revoke: (member: string) => caller.request('DELETE', `${path}/members/${member}`),
      /** Status of reading the cluster with the key of a member. */
      asDaemon: async (memberKey: string) => (await service.request('GET', path, { key: memberKey })).status,
    };
  }

  describe('a cluster', () => {
    it('is registered with a first member, whose key is returned once and stored as a hash', async () => {
      const { data, key, member_id, members, asDaemon } = await cluster();
      expect(data).toMatchObject({ kind: 'cluster', cluster: { leader_member_id: null, epoch: 0 }, status: 'pending' });
      expect(await members()).toMatchObject([{ id: member_id, name: 'manager-1', role: 'pending' }]);
      expect(await asDaemon(key)).toBe(200);
      const rows = [
        await service.database.db.selectFrom('servers').selectAll().execute(),
        await service.database.db.selectFrom('server_members').selectAll().execute(),
        await service.database.db.selectFrom('events').selectAll().execute(),
      ];
      expect(JSON.stringify([await members(), rows])).not.toContain(key);
    });

    it('has members with keys of their own, each of which is revoked alone', async () => {
      const { key, add, members, revoke, asDaemon, id } = await cluster();
      const { status, json } = await add('manager-2');
      expect(status).toBe(201);
      const second = json.data as { id: string; api_key: string };
      expect(second).toMatchObject({ name: 'manager-2', role: 'pending', server_id: id });
      expect(second.api_key).not.toBe(key);
      expect(await asDaemon(second.api_key)).toBe(200);
      expect((await revoke(second.id)).json.data).toMatchObject({ id: second.id });
      expect(await asDaemon(second.api_key)).toBe(401);
      expect(await asDaemon(key)).toBe(200);
      expect(await members()).toHaveLength(1);
      // The name is free again.
      expect((await add('manager-2')).status).toBe(201);
      const types = (await service.eventsOf(id)).map(({ type }) => type);
      expect(types).toEqual([
        'audit.server_registered',
        'audit.cluster_member_added',
        'audit.cluster_member_added',
        'audit.cluster_member_revoked',
        'audit.cluster_member_added',
      ]);
    });

    it('has at most one member of a name', async () => {
      const { add } = await cluster();
      await add('manager-2');
      expect(await add('manager-2')).toMatchObject({
        status: 422,
        json: { error: { details: { field: 'name', reason: 'taken' } } },
      });
    });

    it('gives a key of a member only to someone with data:export', async () => {
      const { add } = await cluster();
      for (const permissions of [['servers:read', 'servers:write'], ['data:export']]) {
        const limited = { account_id: service.accountId, permissions: JSON.stringify(permissions) };
        const key = await insertKeyRow(service.database, limited);
        expect((await add('manager-2', { key })).status).toBe(403);
      }
    });

    it('registered without data:export is trusted once its first member is revoked', async () => {
      const permissions = ['servers:read', 'servers:write', 'definitions:read', 'definitions:write'];
      const key = await insertKeyRow(service.database, {
        account_id: service.accountId,
        permissions: JSON.stringify(permissions),
      });
      const limited = {
        request: (method: string, path: string, more: object = {}) => service.request(method, path, { ...more, key }),
      };
      const { id, member_id, path } = await cluster(limited as Pick<RunningService, 'request'>);
      const isTrusted = async () => {
        const read = service.database.db.selectFrom('servers').select('key_trusted').where('id', '=', id);
        return (await read.executeTakeFirstOrThrow()).key_trusted;
      };
      expect(await isTrusted()).toBe(0);
      const added = (await service.request('POST', `${path}/members`, { body: { name: 'manager-2' } })).json.data;
      const third = (await service.request('POST', `${path}/members`, { body: { name: 'manager-3' } })).json.data;
      await service.request('DELETE', `${path}/members/${third.id}`);
      expect(await isTrusted()).toBe(0);
      await limited.request('DELETE', `${path}/members/${member_id}`);
      expect(await isTrusted()).toBe(1);
      await limited.request('DELETE', `${path}/members/${added.id}`);
      expect(await isTrusted()).toBe(1);
    });

    it('refuses to rotate its key and to reset its identity, because its members have their own', async () => {
      const { path } = await cluster();
      for (const order of ['rotate-key', 'reset-identity']) {
        const response = await service.request('POST', `${path}/${order}`, { body: {} });
        expect(response).toMatchObject({
          status: 422,
          json: { error: { details: { reason: 'cluster', field: 'id' } } },
        });
      }
    });

    it('revokes the keys of all members when it is removed', async () => {
      const { key, add, path } = await cluster();
      const second = (await add('manager-2')).json.data as { api_key: string };
      expect((await service.request('DELETE', path)).status).toBe(200);
      for (const text of [key, second.api_key]) {
        expect((await service.request('GET', path, { key: text })).status).toBe(401);
      }
    });

    it('and its members are hidden from other accounts', async () => {
      const { path, member_id } = await cluster();
      const outsider = await service.addAccount();
      expect((await outsider.request('GET', `${path}/members`)).status).toBe(404);
      expect((await outsider.request('DELETE', `${path}/members/${member_id}`)).status).toBe(404);
      expect((await outsider.request('POST', `${path}/members`, { body: { name: 'x' } })).status).toBe(404);
      const theirs = await cluster(outsider);
      // Nor is a member found below another cluster.
      const { path: mine } = await cluster();
      expect((await service.request('DELETE', `${mine}/members/${theirs.member_id}`)).status).toBe(404);
    });
  });

  it('an ordinary server has no members and takes none', async () => {
    const body = { name: 'web-1', environment: 'staging' };
    const { json } = await service.request('POST', '/servers', { body });
    expect(json.data).toMatchObject({ kind: 'server', cluster: null });
    const path = `/servers/${json.data.id}/members`;
    expect((await service.request('GET', path)).json.data).toEqual([]);
    const refused = await service.request('POST', path, { body: { name: 'manager-2' } });
    expectRefusal(refused, 'VALIDATION_ERROR', 'id');
  });
});
