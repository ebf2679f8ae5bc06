// The picture of the README: the overview of a real service with 40 instances on 6 servers.
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { launchChromium } from '@hortus/testkit/chromium';
import { fillService } from '@hortus/testkit/filled-service';
import { browserState, signIn } from '@hortus/testkit/page-session';
import { temporaryFolder } from '@hortus/testkit/temporary-folder';
import { startService } from '../e2e/service-process.ts';
import { buildConsole } from './console.mjs';

const root = join(import.meta.dirname, '..');
const picture = join(root, 'docs/console.png');
const MAX_BYTES = 200_000;
const email = 'mira@example.org';
const password = 'a password for the picture';

if (!(await buildConsole())) throw new Error('The console was not built.');
await using folder = temporaryFolder('picture');
const service = await startService({
  directory: folder.path,
  env: {
    HORTUS_ADMIN_EMAIL: email,
    HORTUS_ADMIN_PASSWORD: password,
    HORTUS_CONSOLE_DIR: join(root, 'dist/console'),
  },
});
const browser = await launchChromium();
try {
  await fillService(service);
  const storageState = browserState(await signIn(service, { email, password }), service.root);
  const viewport = { width: 1440, height: 900 };
  const context = await browser.newContext({ baseURL: service.root, viewport, storageState });
  const page = await context.newPage();
  await page.goto('/');
  await page.getByRole('heading', { level: 1, name: /instances on/ }).waitFor();
  await page.evaluate('document.fonts.ready');
  await page.screenshot({ path: picture, animations: 'disabled' });
} finally {
  await browser.close();
  await service.process.stop();
}
const { size } = statSync(picture);
if (size > MAX_BYTES) throw new Error(`The picture has ${size} bytes; at most ${MAX_BYTES} belong into a README.`);
console.log(`${picture}: ${Math.round(size / 1000)} KB`);
