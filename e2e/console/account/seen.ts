import type { PageSession } from '@hortus/testkit/page-session';
import type { Browser } from 'playwright-core';
import type { ServiceProcess } from '../../service-process.ts';
import { openPage } from '../browser.ts';
import { countShifts, expectNoShift } from '../layout-shifts.ts';
import { expectGoodPhone, expectGoodThemes, resizeToPhone } from '../looks.ts';

/**
 * Opens a page in light, dark and on a phone; expects no serious accessibility finding, no sideways scrolling, and nothing
 * that moves when data arrives. Loads it once for each width, because colours do not move content.
 */
export async function expectGoodPage(
  browser: Browser,
  service: ServiceProcess,
  { session, path, ready, name }: { session: PageSession; path: string; ready: string; name: string },
): Promise<void> {
  const page = await openPage(browser, service, { session });
  await countShifts(page);
  const load = async () => {
    await page.goto(path);
    await page.locator(ready).first().waitFor();
  };
  await load();
  await expectGoodThemes(page, name);
  await expectNoShift(page, path);
  await resizeToPhone(page);
  await load();
  await expectGoodPhone(page, name);
  await expectNoShift(page, `${path} (phone)`);
}
