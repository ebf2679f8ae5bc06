import { type PageSession, pageHeaders } from '@hortus/testkit/page-session';
import type { Browser, Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { clientOf, type ServiceProcess } from '../../service-process.ts';
import { expectAccessible, fetchInPage, openBrowser, openPage, signIn } from '../browser.ts';
import { email, password, startConsoleService } from '../console-service.ts';
import { inviteReed, joinAsReed, signInMember } from './people.ts';
import { expectGoodPage } from './seen.ts';

let browser: Browser;
let service: ServiceProcess;
let session: PageSession;

beforeAll(async () => {
  [browser, service] = await Promise.all([openBrowser(), startConsoleService()]);
  session = await signIn(service, email, password);
});

const open = async (path: string, as: PageSession = session): Promise<Page> => {
  const page = await openPage(browser, service, { session: as });
  await page.goto(path);
  await page.getByRole('heading', { level: 1, name: 'Account settings' }).waitFor();
  return page;
};

describe('Account settings, API Keys, Create New', () => {
  test('makes a key with the chosen permissions, expiry and networks, shown once; it works, and stops when revoked', async () => {
    const page = await open('/settings');
    await page.getByRole('navigation', { name: 'Account settings' }).getByText('API Keys').click();
    await page.getByRole('button', { name: 'Create New' }).click();
    const form = page.getByRole('dialog', { name: 'Create an API key' });
    await form.getByLabel('Name').fill('preview-bot');
    await expectAccessible(page);
    expect(await form.getByRole('button', { name: 'Create and show key' }).isDisabled()).toBe(true);
    await form.getByLabel('Expires').selectOption('30');
    await form.getByRole('checkbox', { name: 'servers:read', exact: true }).check();
    await form.getByRole('checkbox', { name: 'templates:read', exact: true }).check();
    await form.getByText('2 permissions, no access to secrets').waitFor();
    await form.getByLabel('Only from').fill('everywhere');
    await form.getByRole('button', { name: 'Create and show key' }).click();
    await form.locator('.help.bad').waitFor();
    await form.getByLabel('Only from').fill('127.0.0.0/8, 10.0.0.0/8');
    await form.getByRole('button', { name: 'Create and show key' }).click();
    const shown = page.getByRole('dialog', { name: 'preview-bot is ready' });
    const key = await shown.locator('code').innerText();
    expect(key).toMatch(/^hk_live_/);
    // Neither Escape nor a click beside it loses the key.
    await page.keyboard.press('Escape');
    await page.mouse.click(5, 5);
    await shown.getByRole('button', { name: 'I have stored it' }).click();
    await shown.waitFor({ state: 'detached' });
    expect(await page.content()).not.toContain(key);

    const row = page.getByRole('row', { name: /preview-bot/ });
    await row.getByText('servers:read').waitFor();
    await row.getByText('in 30 days').locator('visible=true').waitFor();
    await row.getByText('127.0.0.0/8').waitFor();
    const bot = clientOf(service.base, key);
    await bot.call('servers.list', {});
    await expect(bot.call('webhooks.list', {})).rejects.toMatchObject({ code: 'FORBIDDEN' });

    await row.getByRole('button', { name: 'Revoke preview-bot' }).click();
    const confirm = page.getByRole('dialog', { name: 'Revoke preview-bot' });
    expect(await confirm.getByRole('button', { name: 'Revoke preview-bot' }).isDisabled()).toBe(true);
    await confirm.getByLabel('Type preview-bot to confirm').fill('preview-bot');
    await page.keyboard.press('Enter');
    await row.getByText('Revoked').waitFor();
    await expect(bot.call('servers.list', {})).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
  });

  test('the whole form works by keyboard alone', async () => {
    const page = await open('/settings/keys?new=key');
    const form = page.getByRole('dialog', { name: 'Create an API key' });
    await form.getByLabel('Name').waitFor();
    await page.keyboard.type('by-keyboard');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await form.getByText(/permissions, no access to secrets/).waitFor();
    await form.getByLabel('Name').focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'by-keyboard is ready' }).waitFor();
    await page.getByRole('button', { name: 'I have stored it' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('row', { name: /by-keyboard/ }).waitFor();
  });

  test('a member without the permission sees the keys but gets neither button nor effect', async () => {
    const member = await signInMember(service, 'fern@example.org');
    const page = await open('/settings/keys?new=key', member);
    await page.getByRole('table', { name: 'API keys' }).waitFor();
    expect(await page.getByRole('button', { name: 'Create New' }).count()).toBe(0);
    expect(await page.getByRole('button', { name: /^Revoke/ }).count()).toBe(0);
    expect(await page.getByRole('dialog').count()).toBe(0);
    const body = { name: 'x', permissions: ['servers:read'] };
    expect(await fetchInPage(page, '/api/v1/account/keys', 'POST', body)).toBe(403);
  });

  test('markup in the name of a key stays text', async () => {
    const name = '<img src=x onerror=alert(1)>';
    await service.client.call('keys.create', { body: { name, permissions: ['servers:read'], expires_at: null } });
    const page = await open('/settings/keys');
    await page.getByText(name).first().waitFor();
    expect(await page.locator('img').count()).toBe(0);
  });
});

describe('sessions, password and members', () => {
  test('another session is listed and ended, and its browser is signed out', async () => {
    const other = await signIn(service, email, password);
    const page = await open('/settings/sessions');
    await page.getByText('This session').waitFor();
    await page.getByRole('button', { name: 'End all others' }).click();
    await page.getByText(/other sessions? ended/).waitFor();
    expect((await fetch(`${service.base}/account`, { headers: pageHeaders(other, service.root) })).status).toBe(401);
    expect((await fetch(`${service.base}/account`, { headers: pageHeaders(session, service.root) })).status).toBe(200);
  });

  test('a person changes their own name, and the index shows it at once', async () => {
    const member = await signInMember(service, 'sage@example.org', 'Sage');
    const page = await open('/settings', member);
    await page.getByLabel('Your name').fill('Sage <i>Hill</i>');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('navigation', { name: 'Main' }).getByText('Sage <i>Hill</i>').waitFor();
  });

  test('a wrong current password is said beside its field, and the right one changes it', async () => {
    const member = await signInMember(service, 'moss@example.org');
    const page = await open('/settings/password', member);
    await page.getByLabel('Current password').fill('not the password');
    await page.getByLabel('New password').fill('another long password');
    await page.getByRole('button', { name: 'Change password' }).click();
    await page.locator('.help.bad, [role=alert]').first().waitFor();
    await page.getByLabel('Current password').fill('a password of a member');
    await page.getByRole('button', { name: 'Change password' }).click();
    await page.getByText('Your password is changed.').waitFor();
    await signIn(service, 'moss@example.org', 'another long password');
  });

  test('an owner invites a person by link, who joins with smaller rights and is removed again', async () => {
    const page = await open('/settings/members');
    const link = await inviteReed(page);
    await page.getByRole('button', { name: 'I have stored it' }).click();
    await page.getByRole('table', { name: 'Invites' }).getByText('reed@example.org').waitFor();

    const guest = await joinAsReed(browser, service, link);

    const row = page.getByRole('table', { name: 'Members' }).getByRole('row', { name: /Reed/ });
    await row.getByRole('button', { name: 'What to do with Reed' }).click();
    await page.getByRole('menuitem', { name: 'Permissions…' }).click();
    await page.getByRole('dialog', { name: 'Permissions of Reed' }).getByLabel('instances:shell').check();
    await page.getByRole('button', { name: 'Save' }).click();
    await row.getByText('instances:shell').waitFor();
    await row.getByRole('button', { name: 'What to do with Reed' }).click();
    await page.getByRole('menuitem', { name: 'Remove…' }).click();
    await page.getByLabel('Type reed@example.org to confirm').fill('reed@example.org');
    await page.getByRole('button', { name: 'Remove reed@example.org' }).click();
    await row.waitFor({ state: 'detached' });
    await guest.waitForURL('**/sign-in?*');
  });
});

test('an administrator creates an account with its plan, and changes the plan', async () => {
  const page = await open('/settings/installation?new=account');
  const form = page.getByRole('dialog', { name: 'Create an account' });
  await form.getByLabel('Name').fill('Rose Nursery');
  await form.getByLabel('Email of its owner').fill('rose@example.org');
  await form.getByRole('button', { name: 'Create and show link' }).click();
  await page.getByRole('dialog', { name: 'Rose Nursery is created' }).getByText('/invite#').waitFor();
  await page.getByRole('button', { name: 'I have stored it' }).click();
  await page.getByLabel('Plan of Rose Nursery').selectOption('pro');
  await page.getByText('Rose Nursery has the plan pro').waitFor();
  const { data } = await service.client.call('accounts.list', {});
  expect(data).toContainEqual(expect.objectContaining({ name: 'Rose Nursery', plan: 'pro' }));
});

test.for([
  ['/settings', 'dl.facts', 'settings-profile'],
  ['/settings/password', 'form', 'settings-password'],
  ['/settings/sessions', 'table', 'settings-sessions'],
  ['/settings/members', 'table', 'settings-members'],
  ['/settings/keys', 'table', 'settings-keys'],
  ['/settings/keys?new=key', 'dialog form', 'settings-keys-create'],
  ['/settings/plan', '.meter', 'settings-plan'],
  ['/settings/installation', 'dl.facts dd', 'settings-installation'],
] as const)('%s is accessible in light, dark and on a phone', async ([path, ready, name]) => {
  await expectGoodPage(browser, service, { session, path, ready, name });
});
