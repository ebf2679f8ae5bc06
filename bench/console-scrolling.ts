import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { launchChromium } from '@hortus/testkit/chromium';
import type { BrowserContext, Page } from 'playwright-core';
import { type Bench, type Figure, median } from './claim.ts';
import { definitionRows, insertText, parentRows, parents } from './definition-rows.ts';
import { type Service, signedIn, startWithConsole } from './service-with-console.ts';

const INSTANCES = 10_000;
const LINES = 100_000;
const SCROLLED_MS = 2_000;

/** Compares the frame rate of long lists in the console with that of an empty scrolling page, in the same browser. */
export const consoleScrolling: Bench = {
  name: 'console-scrolling',
  async run(repetitions) {
    const service = await startWithConsole();
    const browser = await launchChromium();
    try {
      const account = (await service.client.call('account.read')).data.account.id;
      fill(join(service.folder, 'hortus.db'), account);
      const context = await signedIn(browser, service);
      const empty = await emptyPage(context);
      const list = await listPage(context);
      const log = await logPage(context, service);
      return [
        await figure(`scrolling ${INSTANCES.toLocaleString('en')} instances`, list, null, empty, repetitions),
        await figure(`scrolling ${LINES.toLocaleString('en')} log lines`, log, '.log', empty, repetitions),
      ];
    } finally {
      await browser.close();
      await service.stop();
    }
  },
};

async function figure(
  claim: string,
  page: Page,
  selector: string | null,
  empty: Page,
  repetitions: number,
): Promise<Figure> {
  const [ours, theirs]: [number[], number[]] = [[], []];
  for (let run = 0; run < repetitions; run++) {
    theirs.push(await framesOf(empty, null));
    ours.push(await framesOf(page, selector));
  }
  const [frames, limit] = [median(ours), median(theirs)];
  return {
    claim,
    value: frames,
    unit: 'frames/s',
    against: { name: 'frames/s of an empty page', value: limit },
    ratio: frames / limit,
    promise: { atLeast: 0.9 },
  };
}

/** Runs in the page: scrolls an element, or the page itself, and resolves with the frames per second. */
const scroll = `(selector, ms) => new Promise((done) => {
  const element = selector ? document.querySelector(selector) : document.scrollingElement;
  element.scrollTop = 0;
  const start = performance.now();
  let frames = 0;
  const step = (now) => {
    frames++;
    element.scrollTop += 120;
    if (now - start < ms) requestAnimationFrame(step);
    else done((frames * 1000) / (now - start));
  };
  requestAnimationFrame(step);
})`;

/** A page behind another one draws no frames. */
async function framesOf(page: Page, selector: string | null): Promise<number> {
  await page.bringToFront();
  return page.evaluate<number>(`(${scroll})(${JSON.stringify(selector)}, ${SCROLLED_MS})`);
}

async function emptyPage(context: BrowserContext): Promise<Page> {
  const page = await context.newPage();
  await page.setContent('<div style="height: 600000px"></div>');
  return page;
}

async function listPage(context: BrowserContext): Promise<Page> {
  const page = await context.newPage();
  await page.goto('/instances');
  await page.locator('.instance-table .row-link').first().waitFor();
  return page;
}

/** Answers the stream of the log with all lines, as a daemon would send them; a second stream stays open without lines. */
async function logPage(context: BrowserContext, { client }: Service): Promise<Page> {
  const [instance] = (await client.call('instances.list', { query: { per_page: 1 } })).data;
  const page = await context.newPage();
  let streams = 0;
  await page.route(/\/instances\/[^/]+\/logs(\?|$)/, async (route) => {
    if (++streams > 1) return;
    const events = Array.from({ length: LINES }, (_, place) => lineEvent(place + 1));
    await route.fulfill({ contentType: 'text/event-stream', body: events.join('') });
  });
  await page.goto(`/instances/${instance?.id}?tab=logs`);
  await page.getByText(`GET /articles/${LINES} `).first().waitFor({ timeout: 120_000 });
  return page;
}

function lineEvent(number: number): string {
  const about = { component: 'app', replica: 1, container_id: 'c0ffee', stream: 'stdout', level: null, cut: false };
  const text = `GET /articles/${number} 200 in ${number % 97} ms`;
  const line = { id: String(number), at: '2030-01-01T00:00:00.000Z', ...about, text };
  return `id: ${number}\nevent: line\ndata: ${JSON.stringify(line)}\n\n`;
}

/** Inserts the rows directly, because the API would take too long. */
function fill(file: string, account: string): void {
  const db = new DatabaseSync(file, { timeout: 10_000 });
  db.exec('pragma synchronous = off');
  for (const row of parentRows.slice(1)) db.exec(row.replaceAll(parents.account, account));
  const template = db.prepare(`select id from templates where owner = 'catalog' limit 1`).get() as { id: string };
  const rows = (number: number) => {
    const { definitions, revisions } = definitionRows(number, { ...parents, account, template: template.id });
    return Object.entries({ definitions, revisions });
  };
  const statements = rows(0).map(([table, row]) => db.prepare(insertText(table, row, () => '?')));
  db.exec('begin');
  for (let number = 0; number < INSTANCES; number++)
    for (const [i, [, row]] of rows(number).entries()) statements[i]?.run(...Object.values(row));
  db.exec(`insert into instances (id, account_id, definition_id, server_id, container_name, status, health, revision,
    url, components, started_at, created_at, updated_at)
    select 'ins_' || substr(id, 5), account_id, id, server_id, container_name, 'running', 'healthy', 1,
    'https://' || instance_uid || '.example.org', '[]', created_at, created_at, updated_at from definitions`);
  db.exec('commit');
  db.close();
}
