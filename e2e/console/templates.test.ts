import type { Browser, Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import type { ServiceProcess } from '../service-process.ts';
import { expectAccessible, expectStill, openBrowser, openPage, type PageOptions, signIn } from './browser.ts';
import { email, password, startConsoleService } from './console-service.ts';
import { withPermissions } from './permissions.ts';

let browser: Browser;
let service: ServiceProcess;
let cookie: string;

beforeAll(async () => {
  [browser, service] = await Promise.all([openBrowser(), startConsoleService()]);
  cookie = await signIn(service, email, password);
});

const open = async (path: string, options: PageOptions = {}): Promise<Page> => {
  const page = await openPage(browser, service, { cookie, ...options });
  await page.goto(path);
  return page;
};
const own = async () => (await service.client.call('drafts.list')).data.map(({ species }) => species);

const COMPOSE = `name: shop
services:
  web:
    image: ghcr.io/example/shop:2.4.1
    ports: ["8080:3000"]
    privileged: true
    logging: {driver: syslog}
    volumes: ["/var/run/docker.sock:/var/run/docker.sock", "data:/data"]
volumes: {data: {}}
`;

describe('importing a Compose file', () => {
  test('shows what is dangerous, left out and inferred, and keeps nothing until it is asked to', async () => {
    const page = await open('/templates/import');
    await page.getByLabel('Compose file').fill(COMPOSE);
    await page.getByRole('button', { name: 'Show the template' }).click();
    await page.getByRole('heading', { name: /^Dangerous/ }).waitFor();
    const access = (text: string) => page.getByRole('listitem').filter({ hasText: text });
    await access('docker socket').waitFor();
    await access('privileged').waitFor();
    await page.getByRole('heading', { name: /^Inferred/ }).waitFor();
    expect(await own()).not.toContain('shop');
    const editor = page.getByLabel('Template as YAML');
    expect(await editor.inputValue()).toContain('slug: shop');
    await expectAccessible(page);
    const edited = (await editor.inputValue()).replace('slug: shop', 'slug: our-shop');
    await editor.fill(edited.replace('    privileged: true\n', '').replace(/ {2}- kind: privileged\n.*\n.*\n/, ''));
    await access('privileged').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Keep as a draft' }).click();
    await page.waitForURL('**/templates/tpl_*');
    expect(await own()).toContain('our-shop');
  });

  test('takes a file that is dropped', async () => {
    const page = await open('/templates/import');
    await page.getByLabel('Compose file').waitFor();
    const file = `new File([${JSON.stringify(COMPOSE)}], 'compose.yaml', { type: 'text/yaml' })`;
    const transfer = await page.evaluateHandle(
      `(() => { const data = new DataTransfer(); data.items.add(${file}); return data; })()`,
    );
    await page.dispatchEvent('.drop', 'drop', { dataTransfer: transfer });
    await page.getByLabel('Template as YAML').waitFor();
  });

  test('asks for the port that a file does not tell, and leads there', async () => {
    const page = await open('/templates/import');
    await page.getByLabel('Compose file').fill('services:\n  app:\n    image: registry.example.org/app:1.0.0\n');
    await page.getByRole('button', { name: 'Show the template' }).click();
    await page.getByLabel('HTTP port of app').fill('3000');
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Lead there' }).click();
    await page.getByText('the route app leads to port 3000 of app').waitFor();
    expect(await page.getByLabel('HTTP port of app').count()).toBe(0);
  });

  test('a file that is none is refused with its line', async () => {
    const page = await open('/templates/import');
    await page.getByLabel('Compose file').fill('services: [');
    await page.getByRole('button', { name: 'Show the template' }).click();
    await page
      .getByRole('alert')
      .getByText(/line 1/i)
      .first()
      .waitFor();
  });
});

describe('a private template', () => {
  test('is written with completion, has its errors by line, and goes from draft to published', async () => {
    const page = await openPage(browser, service, { cookie });
    await Promise.all([page.waitForResponse('**/schemas/template.json'), page.goto('/templates/new')]);
    const editor = page.getByLabel('Template as YAML');
    await editor.waitFor();
    await editor.press('Control+End');
    await page.keyboard.type('feat');
    await page.getByRole('option', { name: /featured/ }).waitFor();
    await page.keyboard.press('Enter');
    expect(await editor.inputValue()).toMatch(/featured: $/);
    await page.keyboard.type('false\nenv:\n  A: "${inputs.NOTHING}"');
    const findings = page.getByRole('region', { name: 'Findings' });
    const finding = findings.getByRole('button', { name: /Line \d+.*NOTHING/ });
    await finding.waitFor();
    await finding.click();
    expect(await page.locator(':focus').getAttribute('aria-label')).toBe('Template as YAML');
    await editor.fill((await editor.inputValue()).replace(/env:[\s\S]*$/, '').replace('first-page', 'own-page'));
    await findings.getByText('No findings').waitFor();
    await page.getByRole('button', { name: 'Keep as a draft' }).click();
    await page.waitForURL('**/templates/tpl_*');
    await page.getByRole('button', { name: 'Validate' }).click();
    await page.getByRole('button', { name: 'Publish' }).click();
    await page.getByRole('link', { name: 'Open in the catalog' }).click();
    await page.getByRole('heading', { level: 1, name: 'First page' }).waitFor();
  });

  test('is listed with its state, and the empty list teaches', async () => {
    const page = await open('/templates');
    await page.getByRole('table', { name: 'Templates' }).getByText('own-page').waitFor();
    await expectAccessible(page);
    await page.route('**/api/v1/drafts?*', (route) =>
      route.fulfill({
        json: { success: true, data: [], pagination: { page: 1, per_page: 50, total: 0, total_pages: 0 } },
      }),
    );
    await page.reload();
    await page.getByText('No templates yet.').waitFor();
  });

  test('cannot be changed by a person without the permission, who gets no button for it', async () => {
    const [draft] = (await service.client.call('drafts.list')).data;
    const page = await openPage(browser, service, { cookie });
    await withPermissions(page, ['templates:read']);
    await page.goto(`/templates/${draft?.id}`);
    await page.getByLabel('Template as YAML').waitFor();
    const main = page.getByRole('main');
    for (const name of ['Validate', 'Publish', 'Save draft', 'Deprecate…', 'Test on a server'])
      expect(await main.getByRole('button', { name }).count(), name).toBe(0);
  });
});

describe('the pages of templates', () => {
  test.for(['light', 'dark'] as const)('have no serious accessibility finding (%s)', async (colorScheme) => {
    const page = await open('/templates/new', { colorScheme });
    await page.getByLabel('Template as YAML').waitFor();
    await expectAccessible(page);
    await page.goto('/templates/import');
    await page.getByLabel('Compose file').waitFor();
    await expectAccessible(page);
  });

  test('do not move when they arrive', async () => {
    const [draft] = (await service.client.call('drafts.list')).data;
    const still = async (path: string, shown: string) =>
      expectStill(await openPage(browser, service, { cookie }), path, shown);
    await still('/templates', 'table[aria-label=Templates] td');
    await still(`/templates/${draft?.id}`, 'textarea');
    await still('/templates/new', 'textarea');
    await still('/templates/import', 'textarea');
  });

  test('fit a phone without scrolling sideways', async () => {
    const page = await open('/templates/new', { width: 390 });
    await page.getByLabel('Template as YAML').waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
  });
});
