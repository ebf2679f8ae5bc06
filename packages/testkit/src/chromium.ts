import { fileURLToPath } from 'node:url';
import { type Browser, chromium } from 'playwright-core';

const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
];

const executablePath = fileURLToPath(new URL('chromium-without-netlink', import.meta.url));

/** Starts Debian's Chromium without windows; it makes no requests of its own, and changes of the network do not disturb it. */
export const launchChromium = (): Promise<Browser> => chromium.launch({ executablePath, args: flags });
