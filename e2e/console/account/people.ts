import type { PageSession } from '@hortus/testkit/page-session';
import type { Browser, Page } from 'playwright-core';
import { expect } from 'vitest';
import type { ServiceProcess } from '../../service-process.ts';
import { openPage, signIn } from '../browser.ts';

const password = 'a password of a member';

/** Invites a member over the API and signs in as that person, whose rights are smaller than those of an owner. */
export async function signInMember(service: ServiceProcess, address: string, name = 'Fern'): Promise<PageSession> {
  const { data } = await service.client.call('members.invite', { body: { email: address } });
  await service.client.call('members.accept', { body: { token: data.token, password, name } });
  return await signIn(service, address, password);
}

/** Invites Reed in the console of an owner, who still sees the link; it is returned. */
export async function inviteReed(owner: Page): Promise<string> {
  await owner.getByRole('button', { name: 'Invite…' }).click();
  await owner.getByLabel('Email').fill('reed@example.org');
  await owner.getByRole('button', { name: 'Invite and show link' }).click();
  return await owner.getByRole('dialog', { name: 'reed@example.org is invited' }).locator('code').innerText();
}

/** Joins as Reed in a browser of his own, and expects that he can see the members but not invite more. */
export async function joinAsReed(browser: Browser, service: ServiceProcess, link: string): Promise<Page> {
  const reed = await openPage(browser, service);
  await reed.goto(`/invite#${link.split('#')[1]}`);
  await reed.getByLabel('Your name').fill('Reed');
  await reed.getByLabel('Password').fill('a password of reed');
  await reed.getByRole('button', { name: 'Join' }).click();
  await reed.getByRole('navigation', { name: 'Main' }).getByText('Reed').waitFor();
  await reed.goto('/settings/members');
  await reed.getByRole('table', { name: 'Members' }).waitFor();
  expect(await reed.getByRole('button', { name: 'Invite…' }).count()).toBe(0);
  return reed;
}
