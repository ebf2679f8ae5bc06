import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { browserState, pageHeaders } from '@hortus/testkit/page-session';
import type { Browser } from 'playwright-core';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { ServiceProcess } from '../service-process.ts';
import { fetchInPage, openBrowser, openPage, signIn } from './browser.ts';
import { email, password, startConsoleService } from './console-service.ts';
import { expectAccessibleThemes } from './looks.ts';

let browser: Browser;
let service: ServiceProcess;
beforeAll(async () => {
  [browser, service] = await Promise.all([openBrowser(), startConsoleService()]);
});

describe('signing in', () => {
  test('a person who is not signed in signs in and comes back to the page that was asked for', async () => {
    const page = await openPage(browser, service);
    await page.goto('/?asked=this');
    await page.waitForURL('**/sign-in?*');
    await page.getByLabel('Email').fill(email);
    await page.getByLabel('Password').fill('wrong password');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').getByText('The email or the password is wrong.').waitFor();
    await page.getByLabel('Password').fill(password);
    await page.keyboard.press('Enter');
    await page.getByRole('navigation', { name: 'Main' }).getByText(email).waitFor();
    expect(new URL(page.url()).search).toBe('?asked=this');
  });

  test('a link to the sign-in page cannot lead to another site', async () => {
    for (const to of ['https://evil.example', '/\\evil.example']) {
      const page = await openPage(browser, service);
      await page.goto(`/sign-in?to=${encodeURIComponent(to)}`);
      await page.getByLabel('Email').fill(email);
      await page.getByLabel('Password').fill(password);
      await page.keyboard.press('Enter');
      await page.getByRole('navigation', { name: 'Main' }).getByText(email).waitFor();
      expect(new URL(page.url()).origin).toBe(service.root);
    }
  });

  test('a script on the page cannot read the session cookie, and storage holds only the other half', async () => {
    const session = await signIn(service, email, password);
    const page = await openPage(browser, service, { session });
    await page.goto('/');
    await page.getByRole('heading', { level: 1 }).waitFor();
    const seen = await page.evaluate('JSON.stringify([document.cookie, {...localStorage}, {...sessionStorage}])');
    expect(seen).not.toMatch(/hortus_session|hk_live/);
    expect(seen).not.toContain(session.cookie.split('=')[1]);
    expect(await page.evaluate('JSON.stringify({...localStorage})')).toContain(session.pageToken);
    const [cookie] = await page.context().cookies();
    expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Strict' });
  });

  test('a session that is ended elsewhere leads back to the sign-in page, however late its code is', async () => {
    const session = await signIn(service, email, password);
    const page = await openPage(browser, service, { session });
    await page.goto('/');
    await page.getByRole('navigation', { name: 'Main' }).getByText(email).waitFor();
    const reads: number[] = [];
    page.on('response', (response) => {
      if (response.url() === `${service.base}/account`) reads.push(response.status());
    });
    const [requested, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    await page.route('**/assets/sign-in-page*.js', async (route) => {
      requested.resolve();
      await released.promise;
      await route.continue();
    });
    await fetch(`${service.base}/account/logout`, { method: 'POST', headers: pageHeaders(session, service.root) });
    await requested.promise;
    // Answered after a read that the page, which is still shown, may have sent.
    await fetchInPage(page, '/api/v1/account');
    released.resolve();
    await page.waitForURL('**/sign-in?*');
    await page.getByLabel('Password').waitFor();
    // `openPage` fails the test if the page logged an error.
    expect(new Set(reads)).toEqual(new Set([401]));
  });

  test('signing out ends the session', async () => {
    const session = await signIn(service, email, password);
    const page = await openPage(browser, service, { session });
    await page.goto('/');
    await page.getByRole('button', { name: 'Theme and account' }).locator('visible=true').click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.waitForURL('**/sign-in');
    expect((await fetch(`${service.base}/account`, { headers: pageHeaders(session, service.root) })).status).toBe(401);
  });
});

describe('a page of another site', () => {
  test('changes nothing with a form or a request, although the browser has a session', async () => {
    const session = await signIn(service, email, password);
    const target = `${service.base}/account/logout`;
    const html = `<form id=f method=post action="${target}" enctype="text/plain"><input name='{"a":"' value='"}'></form>
      <script>fetch('${target}', {method: 'POST', mode: 'no-cors', credentials: 'include'}).finally(() => f.submit())</script>`;
    const evil = createServer((_, response) => void response.setHeader('content-type', 'text/html').end(html));
    await new Promise<void>((done) => evil.listen(0, '127.0.0.1', done));
    onTestFinished(() => void evil.close());
    const { port } = evil.address() as AddressInfo;
    // Another port is the same site for SameSite, another name is not: both must fail.
    for (const host of ['127.0.0.1', 'localhost']) {
      const context = await browser.newContext({ storageState: browserState(session, service.root) });
      onTestFinished(() => context.close());
      const page = await context.newPage();
      const posted = page.waitForResponse(
        (response) => response.url() === target && response.request().isNavigationRequest(),
      );
      await page.goto(`http://${host}:${port}`);
      expect([401, 403]).toContain((await posted).status());
      expect((await fetch(`${service.base}/account`, { headers: pageHeaders(session, service.root) })).status).toBe(
        200,
      );
    }
  });

  test('cannot show the console in a frame', async () => {
    const response = await fetch(service.root);
    expect(response.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
  });
});

describe('the pages before signing in', () => {
  test('have no serious accessibility finding in light and dark', async () => {
    const page = await openPage(browser, service);
    for (const path of ['/sign-in', '/welcome#x', '/invite#x', '/password-reset#x']) {
      await page.goto(path);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await expectAccessibleThemes(page);
    }
  });

  test('an invite link lets a person in, and its token leaves the address bar', async () => {
    const { data } = await service.client.call('members.invite', { body: { email: 'fern@example.org' } });
    const page = await openPage(browser, service);
    await page.goto(`/invite#${data.token}`);
    await page.getByLabel('Your name').fill('Fern <b>Hill</b>');
    expect(page.url()).toBe(`${service.root}/invite`);
    await page.getByLabel('Password').fill('a password of fern');
    await page.getByRole('button', { name: 'Join' }).click();
    await page.getByRole('navigation', { name: 'Main' }).getByText('Fern <b>Hill</b>').waitFor();
  });

  test('a password reset link sets a password once', async () => {
    const { data: members } = await service.client.call('members.list');
    const own = members.find((member) => member.email === 'fern@example.org') ?? members[0];
    const { data } = await service.client.call('members.resetPassword', { params: { id: own?.id ?? '' } });
    const page = await openPage(browser, service);
    const set = async () => {
      await page.goto('/');
      await page.goto(`/password-reset#${data.token}`);
      await page.getByLabel('New password').fill('quite another one');
      await page.getByRole('button', { name: 'Set password' }).click();
    };
    await set();
    await page.waitForURL('**/sign-in');
    await set();
    await page.getByRole('alert').getByText('already used').waitFor();
  });
});
