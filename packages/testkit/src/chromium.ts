import { fileURLToPath } from 'node:url';
import { type Browser, chromium } from 'playwright-core';

/**
 * Pages of the address bar's suggestions, which each window would load and draw: a third of the time of opening a page.
 * The others are of Playwright's own list, which this one replaces.
 */
const withoutFeatures = [
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  'WebUIOmniboxFullPopup',
  'HttpsUpgrades',
  'HttpsFirstBalancedModeAutoEnable',
  'MediaRouter',
  'OptimizationHints',
  'PaintHolding',
];

const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
  `--disable-features=${withoutFeatures.join()}`,
];

const executablePath = fileURLToPath(new URL('chromium-without-netlink', import.meta.url));

/** Starts Debian's Chromium; it makes no requests of its own, and changes of the network do not disturb it. */
export const launchChromium = (): Promise<Browser> => chromium.launch({ executablePath, args: flags });
