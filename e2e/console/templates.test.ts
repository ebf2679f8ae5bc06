import type { PageSession } from '@hortus/testkit/page-session';
import type { Browser, Locator, Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import type { ServiceProcess } from '../service-process.ts';
import { expectAccessible, expectStill, openBrowser, openPage, type PageOptions } from './browser.ts';
import { openConsole } from './console-service.ts';
import { withPermissions } from './permissions.ts';
import { editorText, replaceEditorText, templateEditor } from './template-editor.ts';

let browser: Browser;
let service: ServiceProcess;
let session: PageSession;

beforeAll(async () => {
  [browser, { service, session }] = await Promise.all([openBrowser(), openConsole()]);
});

const open = async (path: string, options: PageOptions = {}): Promise<Page> => {
  const page = await openPage(browser, service, { session, ...options });
  await page.goto(path);
  return page;
};
const isFocused = async (field: Locator) => (await field.and(field.page().locator(':focus')).count()) === 1;
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
    const [checked] = await Promise.all([
      page.waitForResponse('**/api/v1/drafts/check'),
      page.getByRole('button', { name: 'Show the template' }).click(),
    ]);
    const { source } = ((await checked.json()) as { data: { source: string } }).data;
    await page.getByRole('heading', { name: /^Dangerous/ }).waitFor();
    const access = (text: string) => page.getByRole('listitem').filter({ hasText: text });
    await access('docker socket').waitFor();
    await access('privileged').waitFor();
    await page.getByRole('heading', { name: /^Inferred/ }).waitFor();
    expect(await own()).not.toContain('shop');
    const editor = templateEditor(page);
    await editor.getByText('slug: shop').waitFor();
    await expectAccessible(page);
    await replaceEditorText(
      editor,
      source
        .replace('slug: shop', 'slug: our-shop')
        .replace('    privileged: true\n', '')
        .replace(/ {2}- kind: privileged\n.*\n.*\n/, ''),
    );
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
    await templateEditor(page).waitFor();
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
    const page = await openPage(browser, service, { session });
    await Promise.all([page.waitForResponse('**/schemas/template.json'), page.goto('/templates/new')]);
    const editor = templateEditor(page);
    await editor.waitFor();
    await editor.press('Control+End');
    await page.keyboard.type('feat');
    await page.getByRole('option', { name: /featured/ }).waitFor();
    await page.keyboard.press('Enter');
    expect(await editorText(editor)).toMatch(/featured: $/);
    await page.keyboard.type('false\nenv:\n  A: "${inputs.NOTHING}"');
    const findings = page.getByRole('region', { name: 'Findings' });
    const finding = findings.getByRole('button', { name: /Line \d+.*NOTHING/ });
    await finding.waitFor();
    await finding.click();
    expect(await isFocused(editor)).toBe(true);
    expect(await editor.locator('.cm-activeLine').textContent()).toContain('NOTHING');
    await replaceEditorText(
      editor,
      (await editorText(editor)).replace(/env:[\s\S]*$/, '').replace('first-page', 'own-page'),
    );
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
    const page = await openPage(browser, service, { session });
    await withPermissions(page, ['templates:read']);
    await page.goto(`/templates/${draft?.id}`);
    await templateEditor(page).waitFor();
    const main = page.getByRole('main');
    for (const name of ['Validate', 'Publish', 'Save draft', 'Deprecate…', 'Test on a server'])
      expect(await main.getByRole('button', { name }).count(), name).toBe(0);
  });
});

describe('the editor of templates', () => {
  test('marks findings in the text, describes them, and goes from one to the next', async () => {
    const page = await open('/templates/new');
    const editor = templateEditor(page);
    await replaceEditorText(editor, (await editorText(editor)).replace('archetype: application', 'archetype: none'));
    await page.locator('.cm-lint-marker-error').waitFor();
    expect(await editor.getAttribute('aria-invalid')).toBe('true');
    await editor.locator('.cm-lintRange-error').first().hover();
    await page.locator('.cm-diagnostic-error').getByText('archetype').waitFor();
    await editor.press('Control+Home');
    await page.keyboard.press('F8');
    expect(await editor.locator('.cm-activeLine').textContent()).toContain('archetype: none');
    await replaceEditorText(editor, (await editorText(editor)).replace('archetype: none', 'archetype: application'));
    await page.locator('.cm-lint-marker-error').waitFor({ state: 'detached' });
    expect(await editor.getAttribute('aria-invalid')).toBeNull();
  });

  test('describes a key under the pointer', async () => {
    const page = await openPage(browser, service, { session });
    await Promise.all([page.waitForResponse('**/schemas/template.json'), page.goto('/templates/new')]);
    const schema = (await (await fetch(`${service.root}/schemas/template.json`)).json()) as {
      properties: { slug: { description: string } };
    };
    const description = page.getByText(schema.properties.slug.description);
    await templateEditor(page).getByText('slug', { exact: true }).hover();
    await description.waitFor();
  });

  test('suggests on request, and its suggestion is undone in one step', async () => {
    const page = await openPage(browser, service, { session });
    await Promise.all([page.waitForResponse('**/schemas/template.json'), page.goto('/templates/new')]);
    const editor = templateEditor(page);
    await replaceEditorText(editor, 'archetype: ');
    await page.keyboard.press('Control+Space');
    const option = (name: string) => page.getByRole('option', { name });
    await option('application').waitFor();
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await option('application').waitFor({ state: 'detached' });
    await page.keyboard.press('Control+Space');
    await option('asset').click();
    expect(await editorText(editor)).toBe('archetype: asset');
    await page.keyboard.press('Control+z');
    expect(await editorText(editor)).toBe('archetype: ');
  });

  test('keeps the indentation on Enter', async () => {
    const page = await open('/templates/new');
    const editor = templateEditor(page);
    await replaceEditorText(editor, 'env:\n  A: 1');
    await page.keyboard.press('Enter');
    await page.keyboard.type('B: 2');
    expect(await editorText(editor)).toBe('env:\n  A: 1\n  B: 2');
  });

  test('is left with Tab, in both directions, and keeps the shortcuts of the page out of the text', async () => {
    const page = await open('/templates/new');
    const editor = templateEditor(page);
    await replaceEditorText(editor, '');
    await page.keyboard.type('g i ? /');
    expect(await editorText(editor)).toBe('g i ? /');
    expect(await page.getByRole('dialog').count()).toBe(0);
    expect(new URL(page.url()).pathname).toBe('/templates/new');
    await page.keyboard.press('Tab');
    expect(await isFocused(editor)).toBe(false);
    await page.keyboard.press('Shift+Tab');
    expect(await isFocused(editor)).toBe(true);
    await page.keyboard.press('Shift+Tab');
    expect(await isFocused(editor)).toBe(false);
    expect(await editorText(editor)).toBe('g i ? /');
  });

  test('finds text that is not drawn', async () => {
    const page = await open('/templates/new');
    const editor = templateEditor(page);
    const lines = Array.from({ length: 2_000 }, (_, line) => `# line ${line + 1}`);
    await replaceEditorText(editor, lines.join('\n'));
    await editor.press('Control+Home');
    await page.keyboard.press('Control+f');
    await page.getByRole('textbox', { name: 'Find' }).pressSequentially('line 1234\n');
    await editor.getByText('# line 1234').waitFor();
    await expectAccessible(page);
  });

  test('is loaded by its own pages only', async () => {
    const page = await openPage(browser, service, { session });
    const loaded: string[] = [];
    page.on('request', (request) => loaded.push(new URL(request.url()).pathname));
    const isEditor = (path: string) => path.startsWith('/assets/template-editor-');
    for (const [path, heading] of [
      ['/', /./],
      ['/templates', 'Your templates'],
      ['/templates/import', 'Import a Compose file'],
    ] as const) {
      await page.goto(path);
      await page.getByRole('heading', { level: 1, name: heading }).waitFor();
      expect(loaded.filter(isEditor), path).toEqual([]);
    }
    await page.goto('/templates/new');
    await templateEditor(page).waitFor();
    expect(loaded.filter(isEditor)).not.toEqual([]);
  });
});

describe('the pages of templates', () => {
  test.for(['light', 'dark'] as const)('have no serious accessibility finding (%s)', async (colorScheme) => {
    const page = await open('/templates/new', { colorScheme });
    await templateEditor(page).waitFor();
    await expectAccessible(page);
    await page.goto('/templates/import');
    await page.getByLabel('Compose file').waitFor();
    await expectAccessible(page);
  });

  test('do not move when they arrive', async () => {
    const [draft] = (await service.client.call('drafts.list')).data;
    const still = async (path: string, shown: string) =>
      expectStill(await openPage(browser, service, { session }), path, shown);
    await still('/templates', 'table[aria-label=Templates] td');
    await still(`/templates/${draft?.id}`, '.cm-content');
    await still('/templates/new', '.cm-content');
    await still('/templates/import', 'textarea');
  });

  test('fit a phone without scrolling sideways', async () => {
    const page = await open('/templates/new', { width: 390 });
    await templateEditor(page).waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
  });
});
