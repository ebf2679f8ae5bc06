import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { expect } from 'vitest';
import type { ServiceProcess } from '../../service-process.ts';
import { expectAccessible, openPage } from '../browser.ts';
import { countShifts, expectNoShift } from '../layout-shifts.ts';

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
    await countShifts(page);
    await page.goto(path);
    await page.locator(ready).first().waitFor();
    await expectAccessible(page);
    await expectNoShift(page, `${path} (${look.name})`);
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
