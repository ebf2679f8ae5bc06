import { type GitRepository, type GitServer, startGitServer } from '@hortus/testkit/git-server';
import type { PageSession } from '@hortus/testkit/page-session';
import { until } from '@hortus/testkit/until';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ServiceProcess } from '../service-process.ts';
import { expectAccessible, openBrowser, openPage, type PageOptions } from './browser.ts';
import { openConsole } from './console-service.ts';

let browser: Browser;
let service: ServiceProcess;
let git: GitServer;
let session: PageSession;

beforeAll(async () => {
  [browser, { service, session }, git] = await Promise.all([openBrowser(), openConsole(), startGitServer()]);
  await service.client.call('servers.register', { body: { name: 'attic', environment: 'staging' } });
});
afterAll(() => git?.stop());

const open = async (path: string, options: PageOptions = {}): Promise<Page> => {
  const page = await openPage(browser, service, { session, ...options });
  page.setDefaultTimeout(60_000);
  await page.goto(path);
  return page;
};

const gardenFile = (name: string, uids: readonly string[], title = 'Soon') =>
  JSON.stringify({
    name,
    definitions: Object.fromEntries(
      uids.map((uid) => [
        uid,
        {
          species: 'static-site',
          server: 'attic',
          inputs: { WEB_HOSTNAME: `${uid}.example.org`, PAGE_TITLE: title },
          watch_seconds: 0,
        },
      ]),
    ),
  });

/** Follows a repository over the API; each commit waits for an approval. */
async function followed(name: string, file: string, message?: string) {
  const repository = await git.repository(name);
  await repository.commit({ 'garden.yaml': file }, message);
  const { data } = await service.client.call('gardens.follow', { body: { url: repository.url, mode: 'propose' } });
  return { repository, id: data.id };
}

const newestCommit = async (id: string) =>
  (await service.client.call('gardens.read', { params: { id } })).data.source?.last_commit;

const waitFor = (id: string, status: string, subject?: string) =>
  until(
    async () => {
      const commit = await newestCommit(id);
      return commit?.status === status && (subject ?? commit.subject) === commit.subject ? commit : undefined;
    },
    { describe: `the newest commit to be ${status}` },
  );

/** Lets pending deployments succeed, as a daemon would, until the newest commit is applied. */
async function deployAll(id: string): Promise<void> {
  await until(
    async () => {
      const { data } = await service.client.call('deployments.list', { query: { status: 'pending' } });
      for (const item of data)
        await service.client.call('deployments.status', { params: { id: item.id }, body: { status: 'success' } });
      return (await newestCommit(id))?.status === 'applied';
    },
    { describe: 'the commit to be applied' },
  );
}

async function push(repository: GitRepository, id: string, file: string, message: string): Promise<void> {
  await repository.commit({ 'garden.yaml': file }, message);
  await service.client.call('gardens.sync', { params: { id }, body: {} });
}

test('a person follows a repository, stores the secret, approves a commit by its plan and sees it applied', {
  timeout: 300_000,
}, async () => {
  const repository = await git.repository('nursery');
  await repository.commit({ 'garden.yaml': gardenFile('nursery', ['roses', 'ferns']) }, 'Plant roses and ferns');
  const page = await open('/gardens');
  await page.getByText('No gardens yet.').waitFor();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Follow a repository…' }).click();
  const form = page.getByRole('dialog', { name: 'Follow a repository' });
  await form.getByLabel('Repository', { exact: true }).fill(repository.url);
  await form.getByLabel('Forge').selectOption('gitea');
  await expectAccessible(page);
  await form.getByRole('button', { name: 'Follow', exact: true }).click();

  const once = page.getByRole('dialog', { name: 'nursery is followed' });
  await once.getByText('Settings › Webhooks › Add Webhook › Gitea').waitFor();
  const { id } = (await service.client.call('gardens.list', {})).data.find(({ name }) => name === 'nursery') ?? {
    id: '',
  };
  await once.getByText(`/api/v1/gardens/${id}/push`).waitFor();
  const secret = (await once.locator('code').last().textContent()) ?? '';
  expect(secret).toMatch(/^[\w-]{43}$/);
  await page.keyboard.press('Escape');
  await expectAccessible(page);
  await once.getByRole('button', { name: 'I have stored it' }).click();

  await page.getByRole('heading', { name: 'nursery' }).waitFor();
  await page.locator('#page').getByText('Waits for approval').waitFor();
  expect(await page.content()).not.toContain(secret);
  await page.getByRole('link', { name: 'Plant roses and ferns' }).click();
  await page.getByText('2 to create').waitFor();
  await page.getByText('+ inputs.WEB_HOSTNAME: roses.example.org').waitFor();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Approve…' }).click();
  await page.getByRole('button', { name: 'Apply to nursery' }).click();
  await page.locator('#page').getByText('Applying').waitFor();
  await deployAll(id);
  await page.locator('#page').getByText('Applied', { exact: true }).waitFor();
  expect(await page.getByRole('button', { name: 'Approve…' }).count()).toBe(0);
  await expectAccessible(page);
});

test('drift, a stale plan, a rejection, and the removal that asks for the name', { timeout: 300_000 }, async () => {
  const { repository, id } = await followed('orchard', gardenFile('orchard', ['apple', 'pear']));
  const { id: commit_id, plan_hash } = await waitFor(id, 'waiting');
  const body = { plan_hash: plan_hash ?? '' };
  await service.client.call('gardens.approve', { params: { id, commit_id }, body });
  await deployAll(id);
  const page = await open(`/gardens/${id}?tab=drift`);
  await page.getByText('No drift.').waitFor();
  const apple = (await service.client.call('definitions.list', { query: { q: 'apple' } })).data[0]?.id ?? '';
  const inputs = { WEB_HOSTNAME: 'apple.example.org', PAGE_TITLE: 'By hand' };
  await service.client.call('definitions.update', { params: { id: apple }, body: { inputs } });
  await page.reload();
  await page.getByText('− inputs.PAGE_TITLE: By hand').waitFor();
  await page.getByText('+ inputs.PAGE_TITLE: Soon').waitFor();
  await expectAccessible(page);

  await push(repository, id, gardenFile('orchard', ['apple', 'pear'], 'Open'), 'Open the orchard');
  const waiting = await waitFor(id, 'waiting', 'Open the orchard');
  await page.goto(`/gardens/${id}/commits/${waiting.id}`);
  await page.getByText('+ inputs.PAGE_TITLE: Open').first().waitFor();
  // Changed after the plan was shown: the approval is refused, and the page shows the new plan.
  const changed = { inputs: { ...inputs, PAGE_TITLE: 'By hand again' } };
  await service.client.call('definitions.update', { params: { id: apple }, body: changed });
  await page.getByRole('button', { name: 'Approve…' }).click();
  await page.getByRole('button', { name: 'Apply to orchard' }).click();
  await page.getByText(/the plan has changed/i).waitFor();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.getByText('− inputs.PAGE_TITLE: By hand again').waitFor();
  await page.getByRole('button', { name: 'Reject…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Reject this commit of orchard' });
  await dialog.getByLabel('Why').fill('After the weekend.');
  await dialog.getByRole('button', { name: 'Reject' }).click();
  await page.locator('#page').getByText('Rejected', { exact: true }).waitFor();
  await page.getByText('After the weekend.').waitFor();

  await page.goto(`/gardens/${id}?tab=source`);
  await page.getByRole('button', { name: 'More for orchard' }).click();
  await page.getByRole('menuitem', { name: 'Edit…' }).click();
  const edit = page.getByRole('dialog', { name: 'Edit orchard' });
  await edit.getByLabel('Archive or remove what left the file').check();
  await edit.getByRole('button', { name: 'Save' }).click();
  await page.getByText('is archived or removed', { exact: true }).waitFor();
  await push(repository, id, gardenFile('orchard', ['apple']), 'Fell the pear');
  // The changed source lets the rejected commit be planned again, until this one supersedes it.
  const { id: removal } = await waitFor(id, 'waiting', 'Fell the pear');
  await page.goto(`/gardens/${id}/commits/${removal}`);
  await page.getByText(/1 to archive/).waitFor();
  await page.getByRole('button', { name: 'Approve…' }).click();
  const button = page.getByRole('button', { name: 'Apply to orchard' });
  expect(await button.isDisabled()).toBe(true);
  await page.getByLabel('Type orchard to confirm').fill('orchard');
  await button.click();
  await deployAll(id);
  await page.locator('#page').getByText('Applied', { exact: true }).waitFor();

  await page.goto(`/gardens/${id}`);
  await page.getByRole('button', { name: 'More for orchard' }).click();
  await page.getByRole('menuitem', { name: 'Forget…' }).click();
  await page.getByLabel('Type orchard to confirm').fill('orchard');
  await page.getByRole('button', { name: 'Forget orchard' }).click();
  await page.getByText('orchard is forgotten; what it made stays.').waitFor();
});

test('a broken commit says why, and text of a hostile commit is only text', { timeout: 180_000 }, async () => {
  const subject = '<img src=x onerror=alert(1)> \u202egnihtyreve evomeR';
  const { id } = await followed('weeds', 'name: weeds\ndefinitions:\n  blog: {speces: inkwell}\n', subject);
  await waitFor(id, 'broken');
  const page = await open(`/gardens/${id}`, { width: 390 });
  const link = page.getByRole('link', { name: '<img src=x onerror=alert(1)> gnihtyreve evomeR' });
  await link.waitFor();
  expect(await page.content()).not.toContain('\u202e');
  await expectAccessible(page);
  await link.click();
  await page.locator('#page').getByText('Broken', { exact: true }).waitFor();
  await page
    .getByText(/unknown key "speces"/)
    .first()
    .waitFor();
  await page.getByText('What was applied before stays as it is.').waitFor();
  expect(await page.locator('img[src=x]').count()).toBe(0);
  expect(await page.content()).not.toContain('\u202e');
  await expectAccessible(page);
});
