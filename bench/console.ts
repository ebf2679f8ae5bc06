import { launchChromium } from '@hortus/testkit/chromium';
import { fillService } from '@hortus/testkit/filled-service';
import type { Browser, Page } from 'playwright-core';
import { type Bench, type Figure, median } from './claim.ts';
import { type Service, signedIn, startWithConsole } from './service-with-console.ts';

const KB = 1024;
const EVENTS = 60;

/** Measures the console in Chromium, with 40 instances on 6 servers. */
export const consoleBench: Bench = {
  name: 'console',
  async run(repetitions) {
    const service = await startWithConsole();
    const browser = await launchChromium();
    try {
      await fillService(service);
      return [
        await javaScript(browser, service),
        await interactive(browser, service, { repetitions, slowdown: 1, max: 1_000 }),
        await interactive(browser, service, { repetitions, slowdown: 4, max: 3_000 }),
        await eventOnScreen(browser, service),
      ];
    } finally {
      await browser.close();
      await service.stop();
    }
  },
};

const upTo = (claim: string, value: number, unit: string, max: number, note?: string): Figure => ({
  claim,
  value,
  unit,
  against: { name: `${unit} allowed`, value: max },
  ratio: value / max,
  promise: { atMost: 1 },
  ...(note && { note }),
});

async function javaScript(browser: Browser, service: Service): Promise<Figure> {
  await using context = await signedIn(browser, service);
  const page = await context.newPage();
  await openOverview(page);
  const bytes = await page.evaluate<number>(SCRIPT_BYTES);
  return upTo('compressed JavaScript of the first load of the overview', bytes / KB, 'KB', 200);
}

/** Measures from the navigation, with empty caches, to the frame after an order of the keyboard was obeyed. */
async function interactive(
  browser: Browser,
  service: Service,
  { repetitions, slowdown, max }: { repetitions: number; slowdown: number; max: number },
): Promise<Figure> {
  const times: number[] = [];
  for (let i = 0; i < Math.max(3, repetitions); i++) {
    await using context = await signedIn(browser, service);
    const page = await context.newPage();
    const protocol = await context.newCDPSession(page);
    await protocol.send('Emulation.setCPUThrottlingRate', { rate: slowdown });
    await openOverview(page);
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog', { name: 'Find or do anything' }).getByRole('combobox').waitFor();
    times.push(await page.evaluate<number>(AFTER_FRAME));
  }
  const claim = `overview of 40 instances until it obeys the keyboard${slowdown > 1 ? `, CPU ${slowdown}× slower` : ''}`;
  return upTo(claim, median(times), 'ms', max);
}

/** Measures from sending an order to the frame after its event is in the page; the order's own time is included. */
async function eventOnScreen(browser: Browser, service: Service): Promise<Figure> {
  await using context = await signedIn(browser, service);
  const page = await context.newPage();
  await openOverview(page);
  const { data: definitions } = await service.client.call('definitions.list', { query: { per_page: 1 } });
  const id = definitions[0]?.id ?? '';
  const times: number[] = [];
  for (let i = 0; i < EVENTS; i++) {
    const shown = page.evaluate<number>(NEXT_EVENT_SHOWN);
    // The evaluation has begun when this one is answered.
    await page.evaluate('1');
    const sentAt = performance.timeOrigin + performance.now();
    await service.client.call('definitions.update', { params: { id }, body: { name: `Renamed ${i}` } });
    times.push((await shown) - sentAt);
  }
  const sorted = times.sort((a, b) => a - b);
  const p95 = sorted[Math.ceil(EVENTS * 0.95) - 1] ?? Number.NaN;
  const claim = 'from an order until its event is on the screen, p95';
  return upTo(claim, p95, 'ms', 100, `median ${median(times).toFixed(0)} ms, ${EVENTS} events, the order included`);
}

async function openOverview(page: Page): Promise<void> {
  await page.goto('/', { waitUntil: 'commit' });
  await page.getByRole('heading', { level: 1, name: /instances on/ }).waitFor();
  await page.locator('.events li').first().waitFor();
}

/** In the page: the time since the navigation began, after the next frame. A text, because Node's types know no page. */
const AFTER_FRAME = 'new Promise((done) => requestAnimationFrame(() => done(performance.now())))';

/** In the page: the compressed bytes of all scripts that were loaded, or preloaded, so far. */
const SCRIPT_BYTES = `performance.getEntriesByType('resource')
  .filter(({ name }) => name.endsWith('.js'))
  .reduce((bytes, { encodedBodySize }) => bytes + encodedBodySize, 0)`;

/** In the page: the time at which the next event of the list was drawn. */
const NEXT_EVENT_SHOWN = `new Promise((done) => {
  const drawn = () => requestAnimationFrame(() => done(performance.timeOrigin + performance.now()));
  const observer = new MutationObserver((changes) => {
    if (!changes.some(({ addedNodes }) => [...addedNodes].some(({ nodeName }) => nodeName === 'LI'))) return;
    observer.disconnect();
    drawn();
  });
  observer.observe(document.querySelector('.events'), { childList: true });
})`;
