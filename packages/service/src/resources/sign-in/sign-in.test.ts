import { until } from '@hortus/testkit/until';
import { expect, it, vi } from 'vitest';
import { FREE_FOR_USER, LoginThrottle, MAX_FAILURES } from '../../identity/login-throttle.ts';
import { Passwords } from '../../identity/passwords.ts';
import { callsOn } from '../../identity/testing/calls.ts';
import { adminEmail, adminKey, adminPassword, sessionIdleMs, twoReplicas } from '../../identity/testing/replicas.ts';
import { Pages } from '../../storage/page.ts';
import { onBothEngines } from '../../testing/engines.ts';
import { signInRoutes } from './routes.ts';
import { Accounts } from './service.ts';
import { Sessions } from './sessions.ts';

const HERE = '192.0.2.7';
interface HalvesOfSession {
  readonly token: string;
  readonly pageToken: string | undefined;
}

const unauthorized = { code: 'UNAUTHORIZED' };

onBothEngines((engine) => {
  async function start(clock?: () => number, idleMs = sessionIdleMs) {
    const [replica, other] = await twoReplicas(engine, clock, idleMs);
    const { storage, authenticator } = replica;
    const delays: number[] = [];
    const passwords = new Passwords();
    const throttle = new LoginThrottle({ ...(clock && { clock }), delay: async (ms) => void delays.push(ms) });
    const routes = signInRoutes(
      new Accounts({ storage, passwords, throttle }),
      new Sessions({ storage, pages: new Pages(), idleMs, ...(clock && { clock }) }),
    );
    const { call, cookies } = callsOn(storage);
    const login = async (email = adminEmail, password = adminPassword, address = HERE) => {
      const response = await routes['account.login'](call(undefined, { body: { email, password }, address }));
      const { token, expiresAt } = cookies.at(-1) as { token: string; expiresAt: number };
      const { page_token: pageToken, ...data } = response.data;
      return { data, token, pageToken, expiresAt };
    };
    const enter = (session: HalvesOfSession, on = authenticator) =>
      on.authenticate({ authorization: undefined, sessionToken: session.token, pageToken: session.pageToken }, HERE);
    const audits = async () => {
      const rows = await storage.reader.db.selectFrom('events').selectAll().orderBy('position').execute();
      return rows.filter((row) => row.resource_type === 'user');
    };
    return { replica, other, routes, call, cookies, login, enter, audits, passwords, delays };
  }

  it('signing in returns a session, and signing out ends it on every replica', async () => {
    const { routes, call, cookies, login, enter, other, replica, audits } = await start();
    const session = await login(` ${adminEmail.toUpperCase()} `);
    const { token, data } = session;
    expect(data).toMatchObject({ kind: 'session', user: { email: adminEmail, role: 'owner', admin: true } });
    expect(data.permissions).toContain('admin');
    const principal = await enter(session);
    expect((await routes['account.read'](call(principal))).data).toEqual(data);
    await enter(session, other.authenticator);
    await routes['account.logout'](call(principal));
    expect(cookies.at(-1)?.token).toBeNull();
    await expect(enter(session)).rejects.toMatchObject(unauthorized);
    await until(
      () =>
        enter(session, other.authenticator).then(
          () => false,
          () => true,
        ),
      {
        describe: 'the other replica to refuse the session',
      },
    );
    expect((await audits()).map((event) => event.type)).toEqual(['audit.login', 'audit.logout']);
    const [row] = await replica.storage.reader.db
      .selectFrom('events')
      .selectAll()
      .where('type', '=', 'audit.login')
      .execute();
    expect(JSON.stringify(row)).not.toContain(token);
    expect(JSON.stringify(row)).not.toContain(session.pageToken);
  });

  it('the session of a key shows its permissions', async () => {
    const { routes, call, replica } = await start();
    const principal = await replica.authenticator.authenticateKey(adminKey, HERE);
    const { data } = await routes['account.read'](call(principal));
    expect(data).toMatchObject({ kind: 'key', user: { email: adminEmail }, permissions: ['admin'] });
  });

  it('a session is accepted only as a cookie with its page token, and a key only as a header', async () => {
    const { login, enter, replica } = await start();
    const { authenticator } = replica;
    const [session, other] = [await login(), await login()];
    const { token, pageToken } = session;
    await enter(session);
    const wrong = [undefined, '', 'hpt_', `${pageToken}x`, pageToken.slice(0, -1), other.pageToken, token];
    for (const half of wrong)
      await expect(enter({ token, pageToken: half }), `${half}`).rejects.toMatchObject({
        ...unauthorized,
        details: { reason: 'page_token' },
      });
    for (const half of ['', other.token, pageToken])
      await expect(enter({ token: half, pageToken }), half).rejects.toMatchObject(unauthorized);
    expect(authenticator.fromCache(`Bearer ${token}`, HERE)).toBeUndefined();
    for (const half of [token, pageToken])
      await expect(authenticator.authenticateKey(half, HERE)).rejects.toMatchObject(unauthorized);
    await authenticator.authenticateKey(adminKey, HERE);
    await expect(enter({ token: adminKey, pageToken })).rejects.toMatchObject(unauthorized);
    await enter(session);
  });

  it('the cookie alone neither extends a session nor shows that it is valid', async () => {
    let now = 1_000_000_000;
    const IDLE = 10 * 60_000;
    const { login, enter } = await start(() => now, IDLE);
    const session = await login();
    const refusal = async (token: string) => {
      const error = await enter({ token, pageToken: undefined }).catch((problem: Error) => problem);
      return (error as Error).message;
    };
    now += IDLE - 1;
    expect(await refusal(session.token)).toBe(await refusal('unknown'));
    now += 1;
    await expect(enter(session)).rejects.toMatchObject(unauthorized);
  });

  it('a session that a replica of the previous version began is not accepted', async () => {
    const { login, enter, replica } = await start();
    const session = await login();
    await replica.storage.write((tx) => tx.db.updateTable('sessions').set({ page_hash: null }).execute());
    await expect(enter(session)).rejects.toMatchObject(unauthorized);
  });

  it('a session ends after 14 days', async () => {
    let now = 1_000_000;
    const { login, enter } = await start(() => now);
    const session = await login();
    const { expiresAt } = session;
    expect(expiresAt).toBe(now + 14 * 24 * 60 * 60_000);
    now = expiresAt - 1;
    await enter(session);
    now = expiresAt;
    await expect(enter(session)).rejects.toMatchObject(unauthorized);
  });

  it('an idle session ends, a used one stays, and not every use is written', async () => {
    let now = 1_000_000_000;
    const IDLE = 10 * 60_000;
    const { login, enter, replica, other } = await start(() => now, IDLE);
    const [used, unused] = [await login(), await login()];
    const lastSeen = async () =>
      (await replica.storage.reader.db.selectFrom('sessions').select('last_seen_at').orderBy('id').execute()).map(
        (row) => Number(row.last_seen_at),
      );
    const begun = now;
    for (let minutes = 9; minutes <= 27; minutes += 9) {
      now = begun + minutes * 60_000;
      await enter(used);
    }
    expect(await lastSeen()).toEqual([begun, begun]);
    await replica.authenticator.flush();
    expect(await lastSeen()).toEqual([now, begun]);
    await expect(enter(unused)).rejects.toMatchObject(unauthorized);
    now += IDLE - 1;
    await enter(used, other.authenticator);
    await other.authenticator.flush();
    now += IDLE;
    await expect(enter(used)).rejects.toMatchObject(unauthorized);
  });

  it('the sessions of a user are listed, and one of them can be ended on every replica', async () => {
    const { routes, call, login, enter, other, audits } = await start();
    const [here, stolen] = [await login(), await login()];
    const principal = await enter(here);
    await enter(stolen, other.authenticator);
    const { data } = await routes['account.sessions'](call(principal));
    expect(data).toMatchObject([
      { current: false, address: HERE, user_agent: 'a test', ended_at: null },
      { current: true, address: HERE, user_agent: 'a test', ended_at: null },
    ]);
    expect(JSON.stringify(data)).not.toContain(stolen.token);
    const params = { id: data[0]?.id ?? '' };
    const ended = (await routes['account.endSession'](call(principal, { params }))).data;
    expect(ended.ended_at).not.toBeNull();
    expect((await routes['account.endSession'](call(principal, { params }))).data).toEqual(ended);
    await expect(enter(stolen)).rejects.toMatchObject(unauthorized);
    const refusedThere = () =>
      enter(stolen, other.authenticator).then(
        () => false,
        () => true,
      );
    await until(refusedThere, { describe: 'the other replica to refuse the session' });
    expect((await routes['account.sessions'](call(principal))).data).toHaveLength(1);
    await enter(here);
    expect((await audits()).map((event) => event.type)).toContain('audit.session_ended');
  });

  it('all other sessions can be ended, and the current one stays', async () => {
    const { routes, call, login, enter } = await start();
    const [here, ...others] = [await login(), await login(), await login()];
    const principal = await enter(here);
    expect((await routes['account.endOtherSessions'](call(principal))).data).toEqual({ ended: 2 });
    expect((await routes['account.endOtherSessions'](call(principal))).data).toEqual({ ended: 0 });
    for (const session of others) await expect(enter(session)).rejects.toMatchObject(unauthorized);
    await enter(here);
  });

  it('a key, or a session of another user, cannot end a session', async () => {
    const { routes, call, login, enter, replica } = await start();
    const signedIn = await login();
    const principal = await enter(signedIn);
    const [session] = (await routes['account.sessions'](call(principal))).data;
    const params = { id: session?.id ?? '' };
    const key = await replica.authenticator.authenticateKey(adminKey, HERE);
    await expect(routes['account.sessions'](call(key))).rejects.toMatchObject({ code: 'FORBIDDEN' });
    await expect(routes['account.endOtherSessions'](call(key))).rejects.toMatchObject({ code: 'FORBIDDEN' });
    for (const outsider of [key, { ...principal, userId: 'usr_other' }])
      await expect(routes['account.endSession'](call(outsider, { params }))).rejects.toMatchObject({
        code: 'NOT_FOUND',
      });
    await enter(signedIn);
  });

  it('a wrong password and an unknown email get the same response, and repeated failures are throttled', async () => {
    const { login, audits } = await start();
    const wrong = await login(adminEmail, 'wrong').catch((problem: unknown) => problem);
    const unknown = await login('unknown@example.org', 'wrong').catch((problem: unknown) => problem);
    expect(wrong).toMatchObject(unauthorized);
    expect(unknown).toEqual(wrong);
    for (let i = 1; i < MAX_FAILURES; i++) await expect(login(adminEmail, 'wrong')).rejects.toMatchObject(unauthorized);
    await expect(login()).rejects.toMatchObject({ code: 'RATE_LIMITED', details: { retry_after: expect.any(Number) } });
    const reported = await until(async () => (await audits()).length >= 2 && (await audits()), {
      describe: 'two audit events',
    });
    expect(reported.map((event) => [event.type, event.actor])).toEqual([
      ['audit.login_failed', null],
      ['audit.login_failed', null],
    ]);
  });

  it('a flood at one user from many networks delays new networks but not known ones, and refuses neither', async () => {
    const { login, passwords, delays, audits } = await start();
    await login();
    const guess = vi.spyOn(passwords, 'verify').mockResolvedValue(false);
    for (let i = 0; i < 100; i++) {
      const address = `198.51.100.${i}`;
      await expect(login(adminEmail, 'wrong', address)).rejects.toMatchObject(unauthorized);
    }
    guess.mockRestore();
    expect(delays).toHaveLength(100 - FREE_FOR_USER);
    await login();
    expect(delays).toHaveLength(100 - FREE_FOR_USER);
    await login(adminEmail, adminPassword, '2001:db8::1');
    expect(delays).toHaveLength(101 - FREE_FOR_USER);
    // The network is known now, with its whole /64.
    await login(adminEmail, adminPassword, '2001:db8::2');
    expect(delays).toHaveLength(101 - FREE_FOR_USER);
    const failed = async () => (await audits()).filter(({ type }) => type === 'audit.login_failed');
    await until(async () => (await failed()).length >= 3, { describe: 'audit events of failures 1, 10 and 100' });
    expect(await failed()).toHaveLength(3);
  });

  it('a network is forgotten after 90 days without a login from it', async () => {
    let now = 1_000_000_000_000;
    const { login, replica } = await start(() => now);
    const networks = async () => {
      const rows = await replica.storage.reader.db.selectFrom('user_networks').select('network').execute();
      return rows.map(({ network }) => network).sort();
    };
    await login(adminEmail, adminPassword, '192.0.2.1');
    await login(adminEmail, adminPassword, '192.0.2.2');
    now += 60 * 24 * 60 * 60_000;
    await login(adminEmail, adminPassword, '192.0.2.2');
    now += 60 * 24 * 60 * 60_000;
    await login(adminEmail, adminPassword, '192.0.2.3');
    expect(await networks()).toEqual(['192.0.2.2', '192.0.2.3']);
  });

  it('an unknown email takes the same steps as a wrong password', async () => {
    const { login, passwords, replica } = await start();
    const verify = vi.spyOn(passwords, 'verify');
    const steps = async (email: string) => {
      const before = verify.mock.calls.length;
      const queries = vi.spyOn(replica.storage.reader.db, 'selectFrom');
      await expect(login(email, 'wrong')).rejects.toMatchObject(unauthorized);
      const asked = queries.mock.calls.map(([table]) => table);
      queries.mockRestore();
      return { asked, verified: verify.mock.calls.length - before };
    };
    expect(await steps('unknown@example.org')).toEqual({ asked: ['users'], verified: 1 });
    expect(await steps(adminEmail)).toEqual({ asked: ['users'], verified: 1 });
  });

  it('a stolen session does not bypass the login throttle', async () => {
    const { routes, call, login, enter } = await start();
    const principal = await enter(await login());
    const body = { current_password: 'wrong', new_password: 'another password' };
    for (let i = 0; i < MAX_FAILURES; i++)
      await expect(routes['account.changePassword'](call(principal, { body }))).rejects.toMatchObject({
        code: 'VALIDATION_ERROR',
      });
    await expect(routes['account.changePassword'](call(principal, { body }))).rejects.toMatchObject({
      code: 'RATE_LIMITED',
    });
    await expect(login()).rejects.toMatchObject({ code: 'RATE_LIMITED' });
  });

  it('a signed-in user changes the own name, and a key changes nobody', async () => {
    const { routes, call, login, enter, replica, audits } = await start();
    const principal = await enter(await login());
    const rename = (name: string, as = principal) => routes['account.changeProfile'](call(as, { body: { name } }));
    expect((await rename('Mira Aalto')).data).toMatchObject({ email: adminEmail, name: 'Mira Aalto' });
    expect((await routes['account.read'](call(principal))).data.user?.name).toBe('Mira Aalto');
    const key = await replica.authenticator.authenticateKey(adminKey, HERE);
    await expect(rename('Another name', key)).rejects.toMatchObject({ code: 'FORBIDDEN' });
    expect((await audits()).map((event) => event.type)).toContain('audit.user_renamed');
  });

  it('changing the password ends every other session', async () => {
    const { routes, call, login, enter, replica, audits } = await start();
    const [here, elsewhere] = [await login(), await login()];
    await enter(elsewhere);
    const principal = await enter(here);
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
    await enter(here);
    await expect(enter(elsewhere)).rejects.toMatchObject(unauthorized);
    await expect(login()).rejects.toMatchObject(unauthorized);
    await login(adminEmail, 'another password');
    expect((await audits()).map((event) => event.type)).toContain('audit.password_changed');
    const everything = JSON.stringify(await replica.storage.reader.db.selectFrom('users').selectAll().execute());
    expect(everything).not.toContain('another password');
  });
});
