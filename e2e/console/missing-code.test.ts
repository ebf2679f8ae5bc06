import { expect, onTestFinished, test } from 'vitest';
import { openBrowser } from './browser.ts';
import { startConsoleService } from './console-service.ts';

test('a page whose code was lost on the way loads again by itself', async () => {
  const [browser, { root }] = await Promise.all([openBrowser(), startConsoleService()]);
  // Without openPage, because the browser logs the lost file as an error.
  const context = await browser.newContext({ baseURL: root });
  onTestFinished(() => context.close());
  const page = await context.newPage();
  let asked = 0;
  await page.route('**/assets/sign-in-page-*.js', (route) =>
    asked++ === 0 ? route.abort('internetdisconnected') : route.continue(),
  );
  await page.goto('/sign-in');
  await page.getByLabel('Password').waitFor();
  expect(asked).toBe(2);
});
