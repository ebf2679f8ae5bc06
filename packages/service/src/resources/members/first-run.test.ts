import { pageHeaders, pageSession } from '@hortus/testkit/page-session';
import { expect, it } from 'vitest';
import { type Engine, onBothEngines } from '../../testing/engines.ts';
import { expectRefusal } from '../../testing/published-response.ts';
import { adminEmail, publicUrl, type RunningService, startApp } from '../../testing/running-service.ts';

const PASSWORD = 'a password of mine';

/** A service after its first start without a configured password. */
async function firstStart(engine: Engine) {
  const service = await startApp(engine, { adminPassword: undefined });
  const { linkToken, generatedPassword } = service.app.firstStart as { linkToken: string; generatedPassword: string };
  const begin = (token = linkToken, more: object = {}) =>
    service.request('POST', '/account/first-run', {
      key: null,
      body: { token, name: 'Mira', password: PASSWORD, ...more },
    });
  const login = (email: string, password: string) =>
    service.request('POST', '/account/login', { key: null, body: { email, password } });
  return { service, linkToken, generatedPassword, begin, login };
}

const tables = async ({ database }: RunningService) =>
  JSON.stringify([
    await database.db.selectFrom('password_resets').selectAll().execute(),
    await database.db.selectFrom('events').selectAll().execute(),
  ]);

onBothEngines((engine) => {
  it('the link of the first start signs in the owner once, with a name, an email and a password', async () => {
    const { service, linkToken, begin, login } = await firstStart(engine);
    expect(await tables(service)).not.toContain(linkToken);
    const { status, json, headers } = await begin(linkToken, { email: 'Mira@Example.org' });
    expect(status).toBe(200);
    expect(json.data).toMatchObject({
      kind: 'session',
      user: { name: 'Mira', email: 'mira@example.org', role: 'owner' },
    });
    const cookie = headers.get('set-cookie') ?? '';
    expect(cookie).toContain('HttpOnly; SameSite=Strict');
    const read = await service.request('GET', '/account', {
      key: null,
      headers: pageHeaders(pageSession(headers, json.data), publicUrl),
    });
    expect(read.json.data.user).toMatchObject({ name: 'Mira' });
    expect((await login('mira@example.org', PASSWORD)).status).toBe(200);
    expectRefusal(await begin(), 'UNAUTHORIZED');
    expect((await service.eventsOf()).map(({ type }) => type)).toContain('audit.first_sign_in');
    expect(await tables(service)).not.toContain(PASSWORD);
  });

  it('one of two concurrent uses of the link signs in', async () => {
    const { begin } = await firstStart(engine);
    const responses = await Promise.all([begin(), begin()]);
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 401]);
  });

  it('a link that was printed is worthless once the owner has signed in, and after 24 hours', async () => {
    const { begin, login, generatedPassword } = await firstStart(engine);
    expect((await login(adminEmail, generatedPassword)).status).toBe(200);
    expectRefusal(await begin(), 'UNAUTHORIZED');
    const later = await firstStart(engine);
    const { created_at, expires_at } = await later.service.database.db
      .selectFrom('password_resets')
      .selectAll()
      .executeTakeFirstOrThrow();
    expect(Number(expires_at) - Number(created_at)).toBe(24 * 60 * 60_000);
    await later.service.database.db.updateTable('password_resets').set({ expires_at: 1 }).execute();
    expectRefusal(await later.begin(), 'UNAUTHORIZED');
  });

  it('a guessed link, a password reset link and a short password are refused and leave the link valid', async () => {
    const { service, begin } = await firstStart(engine);
    expectRefusal(await begin('x'.repeat(43)), 'UNAUTHORIZED');
    expectRefusal(await begin(undefined, { password: 'short' }), 'VALIDATION_ERROR', 'password');
    const { data: invited } = await service.client.call('members.invite', { body: { email: 'fern@example.org' } });
    const { json } = await service.request('POST', '/account/invites/accept', {
      key: null,
      body: { token: invited.token, password: PASSWORD, name: 'Fern' },
    });
    expect(json.data.user.name).toBe('Fern');
    const { data: reset } = await service.client.call('members.resetPassword', { params: { id: json.data.user.id } });
    expectRefusal(await begin(reset.token), 'UNAUTHORIZED');
    expectRefusal(await begin(undefined, { email: 'fern@example.org' }), 'VALIDATION_ERROR', 'email');
    expect((await begin()).status).toBe(200);
  });

  it('a configured password needs no link', async () => {
    const { app } = await startApp(engine);
    expect(app.firstStart?.linkToken).toBeUndefined();
  });
});
