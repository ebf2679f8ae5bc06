import { until } from '@hortus/testkit/until';
import { beforeAll, expect, it } from 'vitest';
import { onBothEngines } from '../../testing/engines.ts';
import { aDefinition } from '../../testing/good-requests/definitions.ts';
import { signedIn } from '../../testing/good-requests/identity.ts';
import { type Caller, insertKeyRow, type RunningService, startApp } from '../../testing/running-service.ts';

onBothEngines((engine) => {
  let service: RunningService;
  let person: Record<string, string>;

  beforeAll(async () => {
    service = await startApp(engine);
    person = await signedIn(service);
  });

  const request = async (caller: Caller = service) => {
    const id = await aDefinition(caller);
    const body = { endpoint: 'definitions.archive', params: { id } } as const;
    const { data } = await caller.client.call('confirmations.create', { body });
    return { ...data, definitionId: id };
  };
  const decide = (id: string, decision: 'confirm' | 'reject', headers = person) =>
    service.request('POST', `/confirmations/${id}/${decision}`, { headers, key: null });
  const statusOf = async (id: string) =>
    (await service.client.call('definitions.read', { params: { id } })).data.status;

  it('the service writes what the person reads, not the requester', async () => {
    const { title, subject, definitionId } = await request();
    const { instance_uid } = (await service.client.call('definitions.read', { params: { id: definitionId } })).data;
    expect({ title, subject }).toEqual({
      title: `Archive ${instance_uid} and remove its containers`,
      subject: instance_uid,
    });
    const body = { endpoint: 'definitions.archive', params: { id: definitionId }, title: 'Restart' };
    const { status, json } = await service.request('POST', '/confirmations', { body });
    expect({ status, message: json.error.message }).toMatchObject({ status: 422, message: /^title:/ });
  });

  it('an API key may not decide, even one with all permissions', async () => {
    const { id, definitionId } = await request();
    for (const decision of ['confirm', 'reject'])
      expect((await service.request('POST', `/confirmations/${id}/${decision}`)).status).toBe(403);
    expect(await statusOf(definitionId)).not.toBe('archived');
  });

  it('a confirmed call is carried out once, as the person, and audited', async () => {
    const { id, definitionId } = await request();
    const responses = await Promise.all([decide(id, 'confirm'), decide(id, 'confirm'), decide(id, 'confirm')]);
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 422, 422]);
    expect(await statusOf(definitionId)).toBe('archived');
    const { data } = await service.client.call('confirmations.read', { params: { id } });
    expect(data).toMatchObject({ status: 'done', result_id: definitionId, error: null });
    expect(data.decided_by).toMatch(/^usr_/);
    const events = await service.eventsOf(id);
    expect(events.map(({ type }) => type)).toEqual([
      'audit.confirmation_requested',
      'audit.confirmation_confirmed',
      'audit.confirmation_done',
    ]);
    const archived = (await service.eventsOf(definitionId)).at(-1);
    expect(archived?.actor).toBe(data.decided_by);
  });

  it('a rejected call is never carried out', async () => {
    const { id, definitionId } = await request();
    expect((await decide(id, 'reject')).json.data.status).toBe('rejected');
    expect((await decide(id, 'confirm')).status).toBe(422);
    expect(await statusOf(definitionId)).not.toBe('archived');
  });

  it('a call that fails says why and is not repeated', async () => {
    const { id, definitionId } = await request();
    await service.database.db
      .updateTable('confirmations')
      .set({ call: JSON.stringify({ params: { id: 'def_gone' }, query: {}, body: {} }) })
      .where('id', '=', id)
      .execute();
    expect((await decide(id, 'confirm')).json.data).toMatchObject({
      status: 'failed',
      error: 'There is no such definition.',
    });
    expect((await decide(id, 'confirm')).status).toBe(422);
    expect(await statusOf(definitionId)).not.toBe('archived');
  });

  it('an expired call cannot be confirmed', async () => {
    const { id, definitionId } = await request();
    await service.database.db
      .updateTable('confirmations')
      .set({ expires_at: Date.now() - 1 })
      .where('id', '=', id)
      .execute();
    const { status, json } = await decide(id, 'confirm');
    expect({ status, message: json.error.message }).toMatchObject({ status: 422, message: /expired/ });
    expect(await statusOf(definitionId)).not.toBe('archived');
    await service.database.db.updateTable('jobs').set({ run_at: 0 }).where('key', '=', id).execute();
    const read = async () => (await service.client.call('confirmations.read', { params: { id } })).data.status;
    await until(async () => (await read()) === 'expired', { describe: 'the confirmation to expire' });
  });

  it('another account neither sees nor decides it, and cannot ask for a call on foreign records', async () => {
    const { id, definitionId } = await request();
    const neighbour = await service.addAccount();
    expect((await neighbour.request('GET', `/confirmations/${id}`)).status).toBe(404);
    expect((await neighbour.request('POST', `/confirmations/${id}/confirm`)).status).toBe(404);
    const body = { endpoint: 'definitions.archive', params: { id: definitionId } };
    expect((await neighbour.request('POST', '/confirmations', { body })).json.error.message).toMatch(/^params.id:/);
    const { id: theirs } = await request(neighbour);
    expect((await decide(theirs, 'confirm')).status).toBe(404);
  });

  it('only calls that destroy or replace something can be requested, and only those the requester may see', async () => {
    const body = { endpoint: 'keys.create', params: {} };
    expect((await service.request('POST', '/confirmations', { body })).json.error.message).toMatch(/^endpoint:/);
    const permissions = JSON.stringify(['confirmations:request']);
    const key = await insertKeyRow(service.database, { account_id: service.accountId, permissions });
    const archive = { endpoint: 'definitions.archive', params: { id: await aDefinition(service) } };
    expect((await service.request('POST', '/confirmations', { body: archive, key })).status).toBe(403);
  });

  it.each(['def_gone', 'half a pair \ud83c', '../keys', 'null \0', ' '])('the id %j is refused by name', async (id) => {
    for (const endpoint of [
      'definitions.archive',
      'instances.release',
      'backups.restore',
      'deployments.rollback',
      'actions.execute',
    ]) {
      const { status, json } = await service.request('POST', '/confirmations', {
        body: { endpoint, params: { id, slug: id } },
      });
      expect({ status, message: json.error.message }, endpoint).toMatchObject({ status: 422, message: /^params/ });
    }
  });

  it('an assistant in a loop cannot fill the list of a person', async () => {
    const loop = await service.addAccount();
    const id = await aDefinition(loop);
    const body = { endpoint: 'definitions.archive', params: { id } } as const;
    const ask = () => loop.request('POST', '/confirmations', { body });
    const statuses = [];
    for (let asked = 0; asked < 52; asked++) statuses.push((await ask()).status);
    expect(statuses.filter((status) => status === 201)).toHaveLength(50);
    expect(statuses.at(-1)).toBe(422);
  });
});
