import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { expectAccessible } from './browser.ts';

const themes = ['light', 'dark'] as const;

/** In the page: how much wider the content of the page or of a dialog is than its box. */
const OVERHANG = `Math.max(...[document.documentElement, ...document.querySelectorAll('dialog')]
  .map((box) => box.scrollWidth - box.clientWidth))`;

/**
 * Expects no serious accessibility finding in light and dark. Switches the theme of the open page, as the system of a
 * person does: loading it again costs more than the check.
 */
export async function expectAccessibleThemes(page: Page): Promise<void> {
  for (const theme of themes) {
    await chooseTheme(page, theme);
    await expectAccessible(page);
  }
}

/**
 * Expects no serious accessibility finding and no sideways scrolling in light, dark and on a phone; resizes the open page.
 * Keeps a picture of each in CONSOLE_SHOTS, if that is set.
 */
export async function expectGoodAppearances(page: Page, name: string): Promise<void> {
  await expectGoodThemes(page, name);
  await resizeToPhone(page);
  await expectGoodPhone(page, name);
  await page.setViewportSize({ width: 1440, height: 900 });
}

/** Expects the same of the two themes only. */
export async function expectGoodThemes(page: Page, name: string): Promise<void> {
  for (const theme of themes) {
    await chooseTheme(page, theme);
    await expectGoodAppearance(page, `${name}-${theme}`);
  }
}

/** Expects the same of the width of a phone only, which the page already has. */
export async function expectGoodPhone(page: Page, name: string): Promise<void> {
  await chooseTheme(page, 'light');
  await expectGoodAppearance(page, `${name}-phone`);
}

export const resizeToPhone = (page: Page): Promise<void> => page.setViewportSize({ width: 390, height: 900 });

async function chooseTheme(page: Page, theme: (typeof themes)[number]): Promise<void> {
  await page.emulateMedia({ colorScheme: theme });
  await page.locator(`html[data-theme=${theme}]`).waitFor();
}

async function expectGoodAppearance(page: Page, appearance: string): Promise<void> {
  await expectAccessible(page);
  expect(await page.evaluate(OVERHANG), `${page.url()} scrolls sideways (${appearance})`).toBe(0);
  const folder = process.env.CONSOLE_SHOTS;
  if (!folder) return;
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${appearance}.png`), animations: 'disabled', fullPage: true });
}
