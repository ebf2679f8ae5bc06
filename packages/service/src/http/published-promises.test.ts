import { type EndpointName, endpointRows, endpoints } from '@hortus/contract/endpoints';
import { beforeAll, describe, expect, it } from 'vitest';
import { onBothEngines } from '../testing/engines.ts';
import { goodRequest } from '../testing/good-requests.ts';
import { expectRefusal } from '../testing/published-response.ts';
import { type Caller, insertKeyRow, type RunningService, startApp } from '../testing/running-service.ts';

/** What docs/decisions/published-interface.md says of all rows of a kind, held against every such row of the contract. */
const deleting = endpointRows.filter(([, row]) => row.method === 'DELETE' && row.path.endsWith('}'));
/** One check of bodies serves all rows; these stand for a creation, a change and a call without a key. */
const strict = ['definitions.create', 'servers.update', 'account.login'] as const;
const editing = endpointRows.filter(([, row]) => row.record !== undefined);

onBothEngines((engine) => {
  let service: RunningService;
  let neighbour: Caller;
  beforeAll(async () => {
    service = await startApp(engine);
    neighbour = await service.addAccount();
  });

  describe('a repeated DELETE', () => {
    it.each(deleting)('%s is 200 with the same record, for the account that deleted it', async (name) => {
      const { path, options } = await goodRequest(name, service);
      const first = await service.request('DELETE', path, options);
      expect(first.status).toBe(200);
      const second = await service.request('DELETE', path, options);
      expect(second).toMatchObject({ status: 200, json: { success: true, data: { id: first.json.data.id } } });
      expectRefusal(await neighbour.request('DELETE', path), 'NOT_FOUND');
    });

    it('stores nothing readable of the deleted record', async () => {
      const { path } = await goodRequest('webhooks.delete', service);
      const { json } = await service.request('DELETE', path);
      const rows = await service.database.db.selectFrom('tombstones').selectAll().execute();
      expect(rows.map(({ path: at }) => at)).toContain(`/api/v1${path}`);
      expect(JSON.stringify(rows)).not.toContain(json.data.url);
    });

    it('works with another key of the account', async () => {
      const { path } = await goodRequest('webhooks.delete', service);
      const { json } = await service.request('DELETE', path);
      const key = await insertKeyRow(service.database, { account_id: service.accountId });
      expect(await service.request('DELETE', path, { key })).toMatchObject({ status: 200, json: { data: json.data } });
    });

    it('does not reveal a session that another user ended', async () => {
      const { path, options } = await goodRequest('account.endSession', service);
      expect((await service.request('DELETE', path, options)).status).toBe(200);
      const colleague = await goodRequest('account.sessions', service);
      expectRefusal(await service.request('DELETE', path, colleague.options), 'NOT_FOUND');
      expectRefusal(await service.request('DELETE', path), 'NOT_FOUND');
    });

    it('does not reveal a recipe of another account that an admin deleted', async () => {
      const { path } = await goodRequest('recipes.delete', neighbour);
      expect((await service.request('DELETE', path)).status).toBe(200);
      expect((await service.request('DELETE', path)).status).toBe(200);
      const key = await insertKeyRow(service.database, { account_id: service.accountId });
      expectRefusal(await service.request('DELETE', path, { key }), 'NOT_FOUND');
    });

    it('does not reveal a removed user to a key without permission to manage users', async () => {
      const { path } = await goodRequest('members.remove', service);
      expect((await service.request('DELETE', path)).status).toBe(200);
      const permissions = JSON.stringify(['account:write']);
      const key = await insertKeyRow(service.database, { account_id: service.accountId, permissions });
      expectRefusal(await service.request('DELETE', path, { key }), 'FORBIDDEN');
    });

    it('of an unknown id stays 404', async () => {
      expectRefusal(await service.request('DELETE', '/saved-configs/cfg_01j9zq3v5t8x2m4n6p7r9s0abc'), 'NOT_FOUND');
    });

    it('is 404 when the tombstone is older than 30 days', async () => {
      const { path } = await goodRequest('saved-configs.delete', service);
      await service.request('DELETE', path);
      const created_at = Date.now() - 30 * 86_400_000 - 1;
      await service.database.db
        .updateTable('tombstones')
        .set({ created_at })
        .where('path', '=', `/api/v1${path}`)
        .execute();
      expectRefusal(await service.request('DELETE', path), 'NOT_FOUND');
    });
  });

  // That every body of optional fields may be left out is held in contract-bodies.test.ts.
  describe('a body whose fields are all optional', () => {
    it('POST /recipes/{id}/reject works without a body', async () => {
      const { path } = await goodRequest('recipes.reject', service);
      const response = await service.request('POST', path);
      expect(response).toMatchObject({ status: 200, json: { data: { status: 'rejected', reason: null } } });
    });
  });

  describe('a body with many unknown fields', () => {
    it.each(strict)('%s names the first eight', async (name) => {
      const { method, path, options, body } = await goodRequest(name, service);
      const unknown = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`surplus_${n}`, n]));
      const response = await service.request(method, path, { ...options, body: { ...body, ...unknown } });
      expectRefusal(response, 'VALIDATION_ERROR', 'surplus_0');
      const { error } = response.json;
      const first = Array.from({ length: 8 }, (_, n) => `surplus_${n}`);
      expect(error.details.problems.map(({ field }: { field: string }) => field)).toEqual(first);
      for (const field of first) expect(error.message).toContain(field);
      expect(error.message).not.toContain('surplus_8');
    });
  });

  describe('a record sent back as it was read', () => {
    /** A request that changes a record, and the record. */
    async function opened(name: EndpointName) {
      const { method, path, params } = await goodRequest(name, service);
      const reading = endpoints[endpoints[name].record?.read as EndpointName];
      const at = reading.path.replace(/\{(\w+)\}/g, (_, param: string) => String(params[param]));
      const record = (await service.request('GET', at)).json.data as Record<string, unknown>;
      return { at, record, send: (body: object) => service.request(method, path, { body }) };
    }

    it.each(editing)('%s accepts the record unchanged', async (name) => {
      const { record, send } = await opened(name);
      const { updated_at: _, current_revision: __, ...before } = record;
      const response = await send(record);
      expect(response.status, JSON.stringify(response.json)).toBe(200);
      expect(response.json.data).toMatchObject(before);
    });

    it.each(editing)('%s refuses a changed read-only field and names it', async (name) => {
      const { at, record, send } = await opened(name);
      for (const changed of [{ id: 'x' }, { created_at: '2020-01-01T00:00:00.000Z' }])
        expectRefusal(await send({ ...record, ...changed }), 'VALIDATION_ERROR', Object.keys(changed)[0]);
      expect((await service.request('GET', at)).json.data).toEqual(record);
    });

    it('may contain a change to a writable field', async () => {
      const { record, send } = await opened('definitions.update');
      const response = await send({ ...record, name: 'Renamed' });
      expect(response.json.data).toMatchObject({ name: 'Renamed', instance_uid: record.instance_uid });
      expectRefusal(await send({ ...record, status: 'archived' }), 'VALIDATION_ERROR', 'status');
    });
  });

  describe('a webhook secret', () => {
    const body = { url: 'http://127.0.0.1:9/hook', events: ['deployment.success'] };
    it.each([0, 1, 7, 15, 16, 300])('of %i characters is accepted, with a warning if it is short', async (length) => {
      const created = await service.request('POST', '/webhooks', { body: { ...body, secret: 'k'.repeat(length) } });
      expect(created.status).toBe(201);
      expect(created.json.data.warnings).toEqual(length < 16 ? [expect.stringMatching(/^secret: /)] : []);
      const { id } = created.json.data;
      expect((await service.request('GET', `/webhooks/endpoints/${id}`)).json.data.warnings).toEqual([]);
    });
  });

  it('rotate-key documents force in the OpenAPI document', async () => {
    const { json } = await service.request('GET', '/openapi.json');
    const { parameters } = json.paths['/servers/{id}/rotate-key'].post;
    expect(parameters).toContainEqual(expect.objectContaining({ name: 'force', in: 'query', required: false }));
  });
});
