import type { PageSession } from '@hortus/testkit/page-session';
import { addServer, deployWhole, type ReportedServer } from '@hortus/testkit/reported-servers';
import { until } from '@hortus/testkit/until';
import type { Browser, Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import type { ServiceProcess } from '../service-process.ts';
import { expectStill, openBrowser, openPage, type PageOptions } from './browser.ts';
import { openConsole } from './console-service.ts';
import { expectAccessibleThemes } from './looks.ts';
import { withPermissions } from './permissions.ts';

let browser: Browser;
let service: ServiceProcess;
let session: PageSession;
let beech: ReportedServer;

beforeAll(async () => {
  [browser, { service, session }] = await Promise.all([openBrowser(), openConsole()]);
  beech = await addServer(service, 'beech');
  await deployWhole(service, beech, 'memos', 'journal');
});

const open = async (path: string, options: PageOptions = {}): Promise<Page> => {
  const page = await openPage(browser, service, { session, ...options });
  await page.goto(path);
  return page;
};
const cards = (page: Page) => page.locator('.card');

describe('the catalog', () => {
  test('shows shelves by family, and how many of a species grow here', async () => {
    const page = await open('/catalog');
    await page.getByRole('heading', { name: 'Databases' }).waitFor();
    const memos = page.getByRole('link', { name: /^Memos/ }).first();
    await memos.getByText('1 growing').waitFor();
    expect(await page.locator('.shelf').count()).toBeGreaterThan(8);
    await page.getByRole('heading', { name: 'More applications' }).waitFor();
  });

  test('finds on each letter, keeps the search in the address, and asks the service for nothing', async () => {
    const page = await open('/catalog');
    await cards(page).first().waitFor();
    const asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    await page.keyboard.press('/');
    await page.keyboard.type('newsletter');
    await page.getByRole('heading', { name: /found$/ }).waitFor();
    await cards(page).getByText('Ghost', { exact: true }).waitFor();
    expect(new URL(page.url()).searchParams.get('q')).toBe('newsletter');
    // Pictures of cards that come into view do not count.
    expect(asked.filter((path) => /catalog|templates/.test(path) && !path.endsWith('/logo.svg'))).toEqual([]);
    await page.getByLabel('Search the catalog').fill('zzzz');
    await page.getByText('No species has all of these words.').waitFor();
  });

  test.for([
    ['sentry', 'glitchtip', 'GlitchTip'],
    ['posthog', 'umami', 'Umami'],
  ] as const)(
    'answers a search for %s, which it does not have, with the nearest species',
    async ([asked, species, name]) => {
      const { data } = await service.client.call('templates.list', { query: { q: asked } });
      expect(data[0]?.species).toBe(species);
      const page = await open(`/catalog?q=${asked}`);
      await cards(page).first().getByText(name, { exact: true }).waitFor();
    },
  );

  test('a link to a family shows all of it', async () => {
    const page = await open('/catalog?family=database');
    await page.locator('.shelf').first().waitFor();
    expect(await page.locator('.shelf').count()).toBe(1);
    expect(await cards(page).count()).toBeGreaterThan(4);
  });

  test.for([
    ['/catalog', '.card'],
    ['/catalog/ghost', '.plate'],
  ] as const)('does not move when it arrives: %s', async ([path, shown]) => {
    await expectStill(await openPage(browser, service, { session }), path, shown);
  });
});

describe('a species', () => {
  test('says what it runs, keeps, asks for, and what its versions changed', async () => {
    const page = await open('/catalog/ghost');
    await page.getByRole('heading', { level: 1, name: 'Ghost' }).waitFor();
    const graph = page.getByRole('img', { name: /app waits until db is healthy/ });
    await graph.waitFor();
    await page.getByText('Nothing beyond its own network').waitFor();
    await page.getByText('the first version').waitFor();
    await page.getByText(/\d+ inputs, 1 required/).waitFor();
  });

  test('shows the logo of the project beside the mark, with its licence, where that allows it', async () => {
    const page = await open('/catalog/forgejo');
    const logo = page.locator('.plate .logo');
    await logo.waitFor();
    const width = () => page.evaluate(`document.querySelector('.plate .logo').naturalWidth`);
    await until(async () => Number(await width()) > 0, { describe: 'the logo to be loaded' });
    const licence = page.locator('.plate').getByRole('link', { name: 'CC-BY-SA-4.0' });
    expect(await licence.getAttribute('href')).toContain('codeberg.org/forgejo');
    await page.goto('/catalog?q=forgejo');
    await page.locator('.card .logo').first().waitFor();
    await page.goto('/catalog/ghost');
    await page.locator('.plate').waitFor();
    expect(await logo.count()).toBe(0);
  });

  test('an unknown one is not found, and the page says so', async () => {
    const page = await open('/catalog/no-such-species');
    await page.getByRole('alert').getByText('There is no such template').waitFor();
  });

  test('markup in a template of the account stays text', async () => {
    const evil = '<img src=x onerror=alert(1)>';
    const spec = {
      slug: 'evil',
      name: evil,
      description: evil,
      version: '1.0.0',
      archetype: 'application',
      taxonomy: { kingdom: 'applications', family: 'website', tags: [] },
      image: { repository: 'docker.io/library/nginx', tag: '1.29.2' },
      inputs: { optional: [{ name: 'A', type: 'string', label: evil, description: evil, placeholder: evil }] },
      actions: [{ name: evil, slug: 'evil', type: 'exec', command: ['true'], description: evil }],
    };
    const { data } = await service.client.call('drafts.create', { body: { spec } });
    const params = { id: data.id };
    await service.client.call('drafts.validate', { params });
    await service.client.call('drafts.promote', { params });
    const page = await open('/catalog/evil');
    await page.getByRole('heading', { level: 1, name: evil }).waitFor();
    await page.getByText('1 optional setting').click();
    expect(await page.locator('img').count()).toBe(0);
    await page.goto('/catalog?q=evil');
    await cards(page).getByText(evil).first().waitFor();
    expect(await page.locator('img').count()).toBe(0);
  });
});

describe('the form that deploys', () => {
  test('checks inputs by the rules of the service, suggests a name, and plans before anything exists', async () => {
    const page = await open('/catalog/ghost');
    const form = page.getByRole('form', { name: 'Deploy' });
    await form.getByLabel('Address of the site').fill('not a host');
    await form.getByLabel('Name').focus();
    await form.getByText('Must be a host name.').waitFor();
    await form.getByLabel('Address of the site').fill('letters.example.org');
    expect(await form.getByLabel('Name').inputValue()).toBe('letters');
    const plan = form.getByRole('region', { name: 'Plan' });
    await plan.getByText('https://letters.example.org').waitFor();
    await plan.getByText('start').first().waitFor();
    expect((await service.client.call('definitions.list')).data.map(({ name }) => name)).toEqual(['journal']);
    await form.getByLabel('Name').fill('journal');
    await form.getByText(/journal is the uid of another definition/i).waitFor();
  });

  test('an optional input appears with the one that it depends on', async () => {
    const page = await open('/catalog/ghost');
    await page.getByText(/optional settings/).click();
    expect(await page.getByLabel(/^Mail server(?! \(SMTP\))/).count()).toBe(0);
    await page.getByLabel('Send mail').check();
    await page.getByLabel(/^Mail server(?! \(SMTP\))/).waitFor();
  });

  test('a member who may not deploy gets neither the form nor its effect', async () => {
    const page = await openPage(browser, service, { session });
    await withPermissions(page, ['templates:read', 'servers:read']);
    await page.goto('/catalog/ghost');
    await page.getByText('Deploying needs the permissions').waitFor();
    expect(await page.getByRole('button', { name: /Deploy/ }).count()).toBe(0);
    await page.goto('/catalog');
    await cards(page).first().waitFor();
    expect(await page.getByRole('link', { name: /Import/ }).count()).toBe(0);
    const { data } = await service.client.call('keys.create', {
      body: { name: 'reader', permissions: ['templates:read'] },
    });
    const response = await fetch(`${service.base}/definitions/plan`, {
      method: 'POST',
      headers: { authorization: `Bearer ${data.key}`, 'content-type': 'application/json' },
      body: '{}',
    });
    expect(response.status).toBe(403);
  });
});

describe('the pages of the catalog', () => {
  test('have no serious accessibility finding in light and dark', async () => {
    const page = await open('/catalog');
    await cards(page).first().waitFor();
    await expectAccessibleThemes(page);
    await page.goto('/catalog/ghost');
    await page.getByRole('region', { name: 'Plan' }).waitFor();
    await expectAccessibleThemes(page);
  });

  test('fit a phone without scrolling sideways', async () => {
    const page = await open('/catalog', { width: 390 });
    await cards(page).first().waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    await page.goto('/catalog/ghost');
    await page.getByRole('region', { name: 'Plan' }).waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
  });
});
