import { freePort } from '@hortus/testkit/port';
import { until } from '@hortus/testkit/until';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openBrowser } from '../console/browser.ts';
import { type Engine, loadImage, startEngine } from './docker-engine.ts';
import { guideBlocks, runBlock } from './guide-blocks.ts';

const password = 'a password of mira';
let engine: Engine;
let browser: Browser;
let url: string;

beforeAll(async () => {
  engine = await startEngine();
  await loadImage(engine);
  browser = await openBrowser();
  const port = await freePort();
  url = `http://127.0.0.1:${port}`;
  const [, start = ''] = guideBlocks('## With Docker');
  await runBlock(start, { env: engine.env, replace: { '8420:8420': `${port}:8420` } });
  await engine.healthy('hortus');
}, 600_000);
afterAll(() => engine?.stop());

const login = () =>
  fetch(`${url}/api/v1/account/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: url },
    body: JSON.stringify({ email: 'mira@example.org', password }),
  });

test('the documented command runs the image read-only, without privileges, and a person signs in', async () => {
  expect((await fetch(`${url}/api/v1/health`)).status).toBe(200);
  const [about] = JSON.parse(await engine.docker('inspect', 'hortus'));
  expect(about.HostConfig).toMatchObject({
    ReadonlyRootfs: true,
    CapDrop: ['ALL'],
    SecurityOpt: ['no-new-privileges'],
    Privileged: false,
  });

  const [, , show = ''] = guideBlocks('## With Docker');
  const shown = await runBlock(show, { env: engine.env });
  const token = /\/welcome#(\S+)/.exec(shown)?.[1];
  expect(shown).not.toMatch(/hk_live_|shown once/);
  const context = await browser.newContext({ baseURL: url });
  const page = await context.newPage();
  await page.goto(`/welcome#${token}`);
  await page.getByLabel('Your name').fill('Mira Aalto');
  await page.getByLabel('Email').fill('mira@example.org');
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Begin' }).click();
  await page.getByRole('heading', { name: 'A garden with nothing in it yet.' }).waitFor();
  await page.goto('/catalog');
  await page.getByRole('heading', { name: 'Databases' }).waitFor();
  await context.close();
});

test('the service is not root, and there is no shell to run', async () => {
  const [, process = ''] = (await engine.docker('top', 'hortus', '-eo', 'pid,uid,gid,args')).split('\n');
  expect(process.trim()).toMatch(/^\d+ +8420 +8420 +\/usr\/bin\/node /);
  // 126 and 127: the program cannot be run, or does not exist.
  for (const shell of ['sh', '/bin/sh', 'bash', 'busybox'])
    await expect(engine.docker('exec', 'hortus', shell, '-c', 'true')).rejects.toMatchObject({
      code: expect.toSatisfy((code) => code === 126 || code === 127),
    });
});

test('time zones and root certificates are those of Node', async () => {
  const program = `
    const hour = new Date(0).toLocaleString('en', { timeZone: 'Asia/Tokyo', hour: 'numeric' });
    console.log(hour, require('node:tls').rootCertificates.length > 100);`;
  expect(await engine.docker('exec', 'hortus', '/usr/bin/node', '-e', program)).toBe('9 AM true');
});

test('a stopped container shuts down gracefully, and keeps its data', async () => {
  await engine.docker('stop', '--time', '60', 'hortus');
  // 143 or 137 if the signal had ended it.
  expect(await engine.docker('inspect', '--format', '{{.State.ExitCode}}', 'hortus')).toBe('0');
  await engine.docker('start', 'hortus');
  await until(async () => (await login().catch(() => undefined))?.status === 200, {
    describe: 'a login after the restart',
  });
});

test('an unreachable service is unhealthy', async () => {
  const check = ['/usr/bin/node', '/opt/hortus/programs/health-check.mjs'];
  await engine.healthy('hortus');
  await engine.docker('exec', 'hortus', ...check);
  const refused = engine.docker('exec', '--env', 'HORTUS_PORT=1', 'hortus', ...check);
  await expect(refused).rejects.toThrow('ECONNREFUSED');
});
