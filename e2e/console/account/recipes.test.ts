import type { PageSession } from '@hortus/testkit/page-session';
import { addServer, deployWhole } from '@hortus/testkit/reported-servers';
import type { Browser, Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import type { ServiceProcess } from '../../service-process.ts';
import { expectAccessible, fetchInPage, openBrowser, openPage, signIn } from '../browser.ts';
import { email, password, startConsoleService } from '../console-service.ts';
import { signInMember } from './people.ts';
import { recipeSpec } from './recipe-spec.ts';
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
  await page.getByRole('heading', { level: 1 }).waitFor();
  return page;
};

async function submit(page: Page, name: string, slug: string, spec: string): Promise<void> {
  await page.getByRole('button', { name: 'Submit a recipe…' }).click();
  const form = page.getByRole('dialog', { name: 'Submit a recipe' });
  await form.getByLabel('Name').fill(name);
  await form.getByLabel('Species').fill(slug);
  await form.getByLabel('What it is for').fill('A blog for one.');
  await form.getByLabel('Template').fill(spec);
  await expectAccessible(page);
  await form.getByRole('button', { name: 'Submit for review' }).click();
  await page.getByRole('heading', { level: 1, name }).waitFor();
}

describe('recipes', () => {
  test('a recipe is submitted, approved, upvoted and found; an upgrade of it says what changes and why it failed', async () => {
    const page = await open('/recipes');
    await page.getByText('No recipes yet.').waitFor();
    await submit(page, 'Inkwell', 'inkwell', recipeSpec('inkwell', '1.0.0', '1.27'));
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByRole('button', { name: 'Upvote' }).click();
    await page.getByRole('button', { name: 'Upvoted' }).waitFor();
    await page.goto('/recipes');
    await page
      .getByRole('row', { name: /Inkwell/ })
      .getByText('1 upvote')
      .waitFor();

    const beech = await addServer(service, 'beech');
    await deployWhole(service, beech, 'inkwell', 'letters');
    await page.goto('/recipes/mine');
    await submit(page, 'Inkwell', 'inkwell', recipeSpec('inkwell', '1.1.0', '1.28'));
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByText('Approved').first().waitFor();

    await page.goto('/upgrades');
    await page.getByRole('button', { name: 'Look for upgrades' }).click();
    await page.getByRole('heading', { level: 1, name: '1 upgrade to look at.' }).waitFor();
    await expectGoodPage(browser, service, { session, path: '/upgrades', ready: 'table', name: 'upgrades' });
    await page.getByRole('link', { name: 'letters' }).click();
    await page.getByText(/image.*changes from .*1\.27.* to .*1\.28/).waitFor();
    await page.locator('ins', { hasText: '1.28' }).first().waitFor();
    const path = new URL(page.url()).pathname;
    await expectGoodPage(browser, service, { session, path, ready: '.diff', name: 'upgrade' });
    await page.getByRole('button', { name: 'Apply…' }).click();
    await page.getByLabel('Deploy although the reported room is too small').check();
    await page.getByRole('button', { name: 'Upgrade letters' }).click();
    const id = path.split('/').at(-1) ?? '';
    const deploymentId = await expect
      .poll(async () => (await service.client.call('upgrades.read', { params: { id } })).data.deployment_id, {
        timeout: 30_000,
      })
      .toMatch(/^dep_/)
      .then(async () => (await service.client.call('upgrades.read', { params: { id } })).data.deployment_id ?? '');
    await beech.daemon.call('deployments.status', {
      params: { id: deploymentId },
      body: { status: 'running', logs: [] },
    });
    await beech.daemon.call('deployments.report', {
      body: { deployment_id: deploymentId, status: 'failed', error: 'web ran out of memory at 64 MiB' },
    });
    await page.getByText('Failed').first().waitFor();
    await page.getByText(/ran out of memory/).waitFor();
  });

  test('a recipe with errors shows them by line, cannot be approved, and is rejected with a reason', async () => {
    const page = await open('/recipes/mine');
    await submit(page, 'Broken <b>one</b>', 'broken', 'slug: broken\nname: Broken\nwrong_key: 1\n');
    await page
      .getByText(/line \d+:/)
      .first()
      .waitFor();
    expect(await page.getByRole('button', { name: 'Approve' }).isDisabled()).toBe(true);
    expect(await page.locator('main b b').count()).toBe(0);
    await page.goto('/recipes/review');
    await page.getByRole('link', { name: 'Broken <b>one</b>' }).click();
    await page.getByRole('button', { name: 'Reject…' }).click();
    await page.getByLabel('Reason').fill('It has errors.');
    await page.getByRole('button', { name: 'Reject Broken <b>one</b>' }).click();
    await page.getByText('It has errors.').waitFor();
    await expectGoodPage(browser, service, {
      session,
      path: new URL(page.url()).pathname,
      ready: '.said',
      name: 'recipe',
    });
  });

  test('a member who does not review gets neither the queue nor its buttons', async () => {
    const member = await signInMember(service, 'fern@example.org');
    const page = await open('/recipes/review', member);
    await page.getByText('Only administrators review recipes.').waitFor();
    expect(await page.getByRole('link', { name: 'Review' }).count()).toBe(0);
    expect(await fetchInPage(page, '/api/v1/recipes/pending')).toBe(403);
  });

  test.for([
    ['/recipes', 'recipes'],
    ['/recipes/mine', 'recipes-mine'],
  ] as const)('%s is accessible in light, dark and on a phone', async ([path, name]) => {
    await expectGoodPage(browser, service, { session, path, ready: 'table', name });
  });
});

describe('the assistant', () => {
  test('answers with sources, and counts the question', async () => {
    const page = await open('/assistant');
    await page.getByRole('button', { name: 'What can replace Google Photos?' }).click();
    await page.getByRole('button', { name: 'Ask' }).click();
    await page.getByRole('heading', { name: 'Sources' }).waitFor();
    await page.getByText(/^1 of .* questions this month/).waitFor();
    await expectAccessible(page);
  });

  test('is accessible in light, dark and on a phone', async () => {
    await expectGoodPage(browser, service, { session, path: '/assistant', ready: 'form', name: 'assistant' });
  });
});
