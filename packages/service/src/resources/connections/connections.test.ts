import { beforeAll, describe, expect, it } from 'vitest';
import { readQuotas } from '../../quotas/limits.ts';
import { onBothEngines } from '../../testing/engines.ts';
import { expectRefusal } from '../../testing/published-response.ts';
import { type Caller, type RunningService, startApp, type TestResponse } from '../../testing/running-service.ts';
import { tableContents } from '../../testing/table-contents.ts';

const PASSWORD = 'correct horse battery staple';
const attributes = { host: 'smtp.example.org', port: '587', username: 'noreply', password: PASSWORD };

/** Expects a refusal that names the whole path of the field. */
const expectField = (response: TestResponse, field: string) => {
  expectRefusal(response, 'VALIDATION_ERROR');
  expect(response.json.error.details.field).toBe(field);
};

onBothEngines((engine) => {
  let service: RunningService;
  let other: Caller;
  let number = 0;
  beforeAll(async () => {
    service = await startApp(engine, { quotas: readQuotas('pro.connections=2') });
    other = await service.addAccount();
  });

  const save = (more: object = {}, caller: Caller = service) =>
    caller.request('POST', '/connections', {
      body: { name: `Mail ${++number}`, class: 'email.smtp', attributes, ...more },
    });
  const saved = async (more: object = {}) => (await save(more)).json.data;
  const patch = (id: string, body: object) => service.request('PATCH', `/connections/${id}`, { body });

  it('secret attributes are never returned, listed, stored in the clear or put into events', async () => {
    const { status, json } = await save({ name: 'Office mail' });
    expect(status).toBe(201);
    expect(json.data).toMatchObject({
      name: 'Office mail',
      class: 'email.smtp',
      attributes: { host: 'smtp.example.org', port: '587', username: 'noreply' },
      secret_attributes: ['password'],
      used_by: [],
    });
    const read = await service.request('GET', `/connections/${json.data.id}`);
    const listed = await service.request('GET', '/connections?class=email.smtp');
    expect(read.json.data).toEqual(json.data);
    expect(listed.json.data).toContainEqual(json.data);
    const changed = await patch(json.data.id, { attributes: { password: `${PASSWORD} again` } });
    expect(changed.status).toBe(200);
    const events = await service.eventsOf(json.data.id);
    expect(events.map(({ type }) => type)).toEqual(['audit.connection_created', 'audit.connection_updated']);
    const all = JSON.stringify([await tableContents(service.database), json, read, listed, changed.json, events]);
    expect(all).not.toContain(PASSWORD);
    expect(service.errors.join()).not.toContain(PASSWORD);
  });

  it.each([
    ['an unknown attribute', { attributes: { ...attributes, hosst: 'x' } }, 'attributes.hosst'],
    ['a missing attribute', { attributes: { port: '25' } }, 'attributes.host'],
    ['a port that is none', { attributes: { ...attributes, port: '70000' } }, 'attributes.port'],
    ['a line break', { attributes: { ...attributes, host: 'a\nb' } }, 'attributes.host'],
    ['an unknown choice', { attributes: { ...attributes, security: 'ssl3' } }, 'attributes.security'],
    ['a class that is none', { class: 'Mail' }, 'class'],
    ['no attributes', { attributes: {} }, 'attributes'],
  ])('%s is refused by the name of its field, without the values', async (_, more, field) => {
    const response = await save(more);
    expectField(response, field);
    expect(JSON.stringify(response.json)).not.toContain(PASSWORD);
  });

  it('a change merges: null removes, omitted attributes stay, required ones cannot be removed', async () => {
    const { id } = await saved();
    const { json } = await patch(id, {
      name: `Renamed ${id}`,
      attributes: { username: null, port: '465', password: PASSWORD },
    });
    expect(json.data).toMatchObject({
      name: `Renamed ${id}`,
      attributes: { host: 'smtp.example.org', port: '465' },
      secret_attributes: ['password'],
    });
    expectField(await patch(id, { attributes: { host: null } }), 'attributes.host');
  });

  it('a caller that may change a connection cannot have its stored password sent to another server', async () => {
    const { id } = await saved();
    for (const change of [
      { host: 'evil.example.org' },
      { port: '2525' },
      { security: 'none' },
      { url: 'smtp://evil.example.org' },
      // A template that builds an address of parts would connect to the host after the @.
      { username: 'x@evil.example.org/' },
    ]) {
      const refused = await patch(id, { attributes: change });
      expectField(refused, 'attributes.password');
      expect(refused.json.error.details).toMatchObject({
        reason: 'secret_required',
        changed: [`attributes.${Object.keys(change)[0]}`],
      });
    }
    const { json } = await service.request('GET', `/connections/${id}`);
    expect(json.data.attributes).toEqual({ host: 'smtp.example.org', port: '587', username: 'noreply' });
    expect((await patch(id, { attributes: { from: 'me@example.org', host: 'smtp.example.org' } })).status).toBe(200);
    expect((await patch(id, { attributes: { host: 'new.example.org', password: PASSWORD } })).status).toBe(200);
    expect((await patch(id, { attributes: { port: '25', password: null } })).json.data.secret_attributes).toEqual([]);
  });

  it('a secret address of an unlisted class moves only together with the other secrets', async () => {
    const { json } = await save({
      class: 'crm.odd',
      attributes: { api_base: 'https://crm.example.org', token: PASSWORD },
    });
    expectField(
      await patch(json.data.id, { attributes: { api_base: 'https://evil.example.org' } }),
      'attributes.token',
    );
    expect((await patch(json.data.id, { attributes: { token: 'another token' } })).status).toBe(200);
  });

  it('a name is unique within the account', async () => {
    const { name } = await saved();
    expectRefusal(await save({ name }), 'VALIDATION_ERROR', 'name');
    const { id } = await saved();
    expectRefusal(await patch(id, { name }), 'VALIDATION_ERROR', 'name');
  });

  it('attributes of an unlisted class are secret unless they are known to be harmless', async () => {
    const { json } = await save({ class: 'search.meilisearch', attributes: { host: 'search', key: PASSWORD } });
    expect(json.data).toMatchObject({ attributes: { host: 'search' }, secret_attributes: ['key'] });
  });

  describe('another account', () => {
    it('neither sees, changes nor deletes a connection', async () => {
      const { id } = await saved();
      expect((await other.request('GET', '/connections')).json.data).toEqual([]);
      expectRefusal(await other.request('GET', `/connections/${id}`), 'NOT_FOUND');
      expectRefusal(await other.request('PATCH', `/connections/${id}`, { body: { name: 'x' } }), 'NOT_FOUND');
      expectRefusal(await other.request('DELETE', `/connections/${id}`), 'NOT_FOUND');
      expect((await service.request('DELETE', `/connections/${id}`)).status).toBe(200);
      expectRefusal(await service.request('GET', `/connections/${id}`), 'NOT_FOUND');
    });

    it('has a limited number of them', async () => {
      const responses = await Promise.all(Array.from({ length: 10 }, () => save({}, other)));
      expect(responses.filter(({ status }) => status === 201)).toHaveLength(2);
      expectRefusal(await save({}, other), 'VALIDATION_ERROR', 'connections');
    });
  });
});
