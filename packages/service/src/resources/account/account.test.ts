import { until } from '@hortus/testkit/until';
import { expect, it } from 'vitest';
import { LoginThrottle, MOST_FAILURES } from '../../identity/login-throttle.ts';
import { Passwords } from '../../identity/passwords.ts';
import { callsOn } from '../../identity/testing/calls.ts';
import { adminEmail, adminKey, adminPassword, twoReplicas } from '../../identity/testing/replicas.ts';
import { onBothEngines } from '../../testing/engines.ts';
import { accountRoutes } from './routes.ts';
import { Accounts } from './service.ts';

const HERE = '192.0.2.7';
const unauthorized = { code: 'UNAUTHORIZED' };

onBothEngines((engine) => {
  async function start(clock?: () => number) {
    const [replica, other] = await twoReplicas(engine, clock);
    const { storage, authenticator } = replica;
    const throttle = new LoginThrottle(clock);
    const routes = accountRoutes(new Accounts({ storage, passwords: new Passwords(), throttle }));
    const { call, cookies } = callsOn(storage);
    const login = async (email = adminEmail, password = adminPassword) => {
      const answer = await routes['account.login'](call(undefined, { body: { email, password } }));
      const { token, expiresAt } = cookies.at(-1) as { token: string; expiresAt: number };
      return { data: answer.data, token, expiresAt };
    };
    const enter = (sessionToken: string, on = authenticator) =>
      on.authenticate({ authorization: undefined, sessionToken }, HERE);
    const audits = async () => {
      const rows = await storage.reader.db.selectFrom('events').selectAll().orderBy('position').execute();
      return rows.filter((row) => row.resource_type === 'user');
    };
    return { replica, other, routes, call, cookies, login, enter, audits };
  }

  it('signs in, tells who that is, and signs out for good on every replica', async () => {
    const { routes, call, cookies, login, enter, other, replica, audits } = await start();
    const { token, data } = await login(` ${adminEmail.toUpperCase()} `);
    expect(data).toMatchObject({ kind: 'session', user: { email: adminEmail, role: 'owner', admin: true } });
    expect(data.permissions).toContain('admin');
    const principal = await enter(token);
    expect((await routes['account.read'](call(principal))).data).toEqual(data);
    await enter(token, other.authenticator);
    await routes['account.logout'](call(principal));
    expect(cookies.at(-1)?.token).toBeNull();
    await expect(enter(token)).rejects.toMatchObject(unauthorized);
    await until(
      () =>
        enter(token, other.authenticator).then(
          () => false,
          () => true,
        ),
      {
        describe: 'the other replica to hear of it',
      },
    );
    expect((await audits()).map((event) => event.type)).toEqual(['audit.login', 'audit.logout']);
    const [row] = await replica.storage.reader.db
      .selectFrom('events')
      .selectAll()
      .where('type', '=', 'audit.login')
      .execute();
    expect(JSON.stringify(row)).not.toContain(token);
  });

  it('tells a key what it may do', async () => {
    const { routes, call, replica } = await start();
    const principal = await replica.authenticator.authenticateKey(adminKey, HERE);
    const { data } = await routes['account.read'](call(principal));
    expect(data).toMatchObject({ kind: 'key', user: { email: adminEmail }, permissions: ['admin'] });
  });

  it('takes a session only as a cookie, and a key only as a header', async () => {
    const { login, enter, replica } = await start();
    const { authenticator } = replica;
    const { token } = await login();
    await enter(token);
    expect(authenticator.fromCache(`Bearer ${token}`, HERE)).toBeUndefined();
    await expect(authenticator.authenticateKey(token, HERE)).rejects.toMatchObject(unauthorized);
    await authenticator.authenticateKey(adminKey, HERE);
    await expect(enter(adminKey)).rejects.toMatchObject(unauthorized);
  });

  it('ends a session after 14 days', async () => {
    let now = 1_000_000;
    const { login, enter } = await start(() => now);
    const { token, expiresAt } = await login();
    expect(expiresAt).toBe(now + 14 * 24 * 60 * 60_000);
    now = expiresAt - 1;
    await enter(token);
    now = expiresAt;
    await expect(enter(token)).rejects.toMatchObject(unauthorized);
  });

  it('answers a wrong password and an unknown email alike, and stops after so many', async () => {
    const { login, audits } = await start();
    const wrong = await login(adminEmail, 'wrong').catch((problem: unknown) => problem);
    const unknown = await login('nobody@example.org', 'wrong').catch((problem: unknown) => problem);
    expect(wrong).toMatchObject(unauthorized);
    expect(unknown).toEqual(wrong);
    for (let i = 1; i < MOST_FAILURES; i++)
      await expect(login(adminEmail, 'wrong')).rejects.toMatchObject(unauthorized);
    await expect(login()).rejects.toMatchObject({ code: 'RATE_LIMITED', details: { retry_after: expect.any(Number) } });
    const told = await until(async () => (await audits()).length >= 2 && (await audits()), {
      describe: 'two audit events',
    });
    expect(told.map((event) => [event.type, event.actor])).toEqual([
      ['audit.login_failed', null],
      ['audit.login_failed', null],
    ]);
  });

  it('changes the password and ends every other session', async () => {
    const { routes, call, login, enter, replica, audits } = await start();
    const [here, elsewhere] = [await login(), await login()];
    await enter(elsewhere.token);
    const principal = await enter(here.token);
    const change = (current_password: string, new_password: string, as = principal) =>
      routes['account.changePassword'](call(as, { body: { current_password, new_password } }));

    await expect(change('wrong', 'another password')).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      details: { field: 'current_password' },
    });
    await expect(change(adminPassword, 'short')).rejects.toMatchObject({ details: { field: 'new_password' } });
    const key = await replica.authenticator.authenticateKey(adminKey, HERE);
    await expect(change(adminPassword, 'another password', key)).rejects.toMatchObject({ code: 'FORBIDDEN' });

    expect((await change(adminPassword, 'another password')).data.email).toBe(adminEmail);
    await enter(here.token);
    await expect(enter(elsewhere.token)).rejects.toMatchObject(unauthorized);
    await expect(login()).rejects.toMatchObject(unauthorized);
    await login(adminEmail, 'another password');
    expect((await audits()).map((event) => event.type)).toContain('audit.password_changed');
    const everything = JSON.stringify(await replica.storage.reader.db.selectFrom('users').selectAll().execute());
    expect(everything).not.toContain('another password');
  });
});
