import { writeAgent } from '@hortus/testkit/agent-folder';
import { fillService } from '@hortus/testkit/filled-service';
import type { PageSession } from '@hortus/testkit/page-session';
import { temporaryFolder } from '@hortus/testkit/temporary-folder';
import { until } from '@hortus/testkit/until';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, test } from 'vitest';
import type { ServiceProcess } from '../service-process.ts';
import { openBrowser, openPage, signIn } from './browser.ts';
import { email, password, startConsoleService } from './console-service.ts';
import { fillGarden } from './filled-garden.ts';
import { fillRecords } from './filled-records.ts';
import { countShifts, expectNoShift } from './layout-shifts.ts';
import { expectGoodAppearances } from './looks.ts';

/** Views of the console, with the id of a record in place of a name in braces. */
const views = [
  '/',
  '/catalog',
  '/catalog/ghost',
  '/templates',
  '/templates/new',
  '/templates/import',
  '/templates/{template}',
  '/instances',
  '/instances/{instance}',
  '/instances/{instance}?tab=logs',
  '/instances/{instance}?tab=shell',
  '/instances/{instance}?tab=actions',
  '/instances/{instance}?tab=backups',
  '/instances/{instance}?tab=deployments',
  '/instances/{instance}?tab=drift',
  '/instances/{instance}?tab=events',
  '/definitions',
  '/definitions/{definition}',
  '/definitions/{definition}?tab=revisions',
  '/definitions/{definition}?tab=secrets',
  '/definitions/{definition}?tab=move',
  '/definitions/{definition}?tab=export',
  '/deployments',
  '/deployments/{deployment}',
  '/servers',
  '/servers/{server}',
  '/servers/{cluster}',
  '/daemon-updates',
  '/daemon-updates/{daemonUpdate}',
  '/tenants',
  '/tenants/{tenant}',
  '/upgrades',
  '/upgrades/{upgrade}',
  '/gardens',
  '/gardens/{garden}',
  '/gardens/{garden}?tab=drift',
  '/gardens/{garden}?tab=runs',
  '/gardens/{garden}?tab=source',
  '/gardens/{garden}/commits/{commit}',
  '/events',
  '/connections',
  '/webhooks',
  '/webhooks/{webhook}',
  '/notifications',
  '/notifications/channels',
  '/notifications/rules',
  '/notifications/deliveries',
  '/recipes',
  '/recipes/mine',
  '/recipes/review',
  '/recipes/{recipe}',
  '/confirmations',
  '/confirmations/{confirmation}',
  '/assistant',
  '/settings',
  '/settings/password',
  '/settings/sessions',
  '/settings/keys',
  '/settings/members',
  '/settings/plan',
  '/settings/installation',
];
const LONG = Boolean(process.env.HORTUS_TEST_LONG);
/** Pages that have tests of their own are left to them in the short run. */
const chosen = LONG ? views : ['/', '/instances', '/servers', '/catalog'];

let browser: Browser;
let service: ServiceProcess;
let session: PageSession;
let ids: Readonly<Record<string, string>>;

beforeAll(async () => {
  [browser, service] = await Promise.all([openBrowser(), startSigned()]);
  const [first] = await fillService(service);
  const records = first ? { ...(await fillRecords(service, first)), ...(await fillGarden(service, first.id)) } : {};
  session = await signIn(service, email, password);
  const item = { query: { per_page: 1 } };
  const { client } = service;
  const [instances, definitions, deployments, servers] = await Promise.all([
    client.call('instances.list', { query: { per_page: 1, health: 'healthy' } }),
    client.call('definitions.list', item),
    client.call('deployments.list', item),
    client.call('servers.list', item),
  ]);
  const idOf = ({ data }: { data: readonly { id: string }[] }) => data[0]?.id ?? '';
  ids = {
    instance: idOf(instances),
    definition: idOf(definitions),
    deployment: idOf(deployments),
    server: idOf(servers),
    ...records,
  };
});

/** With a signed daemon that is newer than those of the servers. */
async function startSigned(): Promise<ServiceProcess> {
  const folder = temporaryFolder();
  afterAll(() => folder.remove());
  return startConsoleService({ HORTUS_AGENTS_DIR: await writeAgent(folder.path) });
}

test.for(chosen)('%s of 40 instances on 6 servers looks well in light, dark and on a phone', async (view) => {
  const path = view.replaceAll(/\{(\w+)\}/g, (_, name) => ids[name] ?? '');
  const name = view.replaceAll(/[^a-z]+/g, '-').replaceAll(/^-|-$/g, '') || 'overview';
  const page = await openPage(browser, service, { session });
  await countShifts(page);
  await page.goto(path);
  await settled(page);
  await expectNoShift(page, view);
  await expectGoodAppearances(page, name);
});

/** Waits until the page has its heading and nothing in it is still loading. */
async function settled(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  const busy = page.locator('[aria-busy=true]');
  await until(async () => (await busy.count()) === 0, { describe: 'the page to be loaded' });
}
