import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { expect } from 'vitest';
import type { ServiceProcess } from '../../service-process.ts';
import { expectAccessible, openPage } from '../browser.ts';

const LOOKS = [
  { name: 'light', colorScheme: 'light', width: 1440 },
  { name: 'dark', colorScheme: 'dark', width: 1440 },
  { name: 'phone', colorScheme: 'light', width: 390 },
] as const;

/**
 * Opens a page in light, dark and on a phone; expects no serious accessibility finding, no sideways scrolling, and nothing
 * that moves when data arrives. Keeps a picture of each in CONSOLE_SHOTS, if that is set.
 */
export async function expectGoodLooks(
  browser: Browser,
  service: ServiceProcess,
  { cookie, path, ready, name }: { cookie: string; path: string; ready: string; name: string },
): Promise<void> {
  for (const look of LOOKS) {
    const page = await openPage(browser, service, { cookie, colorScheme: look.colorScheme, width: look.width });
    await page.addInitScript(countShifts);
    await page.goto(path);
    await page.locator(ready).first().waitFor();
    await expectAccessible(page);
    const moved = await page.evaluate<Moved>('globalThis.moved');
    expect(moved.shift, `${path} moves (${look.name}): ${moved.what.join(', ')}`).toBeLessThan(0.02);
    const widest = await page.evaluate<number>(
      'Math.max(...[document.documentElement, ...document.querySelectorAll("dialog")].map((one) => one.scrollWidth - one.clientWidth))',
    );
    expect(widest, `${path} scrolls sideways (${look.name})`).toBe(0);
    const folder = process.env.CONSOLE_SHOTS;
    if (!folder) continue;
    mkdirSync(folder, { recursive: true });
    await page.screenshot({ path: join(folder, `${name}-${look.name}.png`), fullPage: true });
  }
}

interface Moved {
  shift: number;
  /** The elements that moved, for the message of a failure. */
  readonly what: string[];
}

/** Runs in the page: sums up how much its content has moved. */
function countShifts(): void {
  const moved: Moved = { shift: 0, what: [] };
  Object.assign(globalThis, { moved });
  const count = ({ value, sources }: Shift) => {
    moved.shift += value;
    for (const { node, previousRect, currentRect } of sources)
      moved.what.push(`${node?.nodeName} ${node?.className} from ${previousRect.y} to ${currentRect.y}`);
  };
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) count(entry as unknown as Shift);
  }).observe({ type: 'layout-shift' as never, buffered: true });
}

/** A layout shift, which the types of the DOM do not know. */
interface Shift {
  readonly value: number;
  readonly sources: readonly {
    readonly node: { readonly nodeName: string; readonly className: string } | null;
    readonly previousRect: { readonly y: number };
    readonly currentRect: { readonly y: number };
  }[];
}
