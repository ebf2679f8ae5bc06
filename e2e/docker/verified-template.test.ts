import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startProcess } from '@hortus/testkit/process';
import { cliMain } from '@hortus/testkit/programs';
import { startRegistry } from '@hortus/testkit/registry';
import { temporaryFolder } from '@hortus/testkit/temporary-folder';
import { expect, test } from 'vitest';
import { type Installation, openInstallation } from './installation.ts';
import { page, writeCatalog } from './test-species.ts';

/** Its volume has content from the start. */
const FILLED = 'command: [sh, -c, "touch /data/page; exec httpd -f -p 8080 -h /www"]';

/** A page with a volume, in a version of its own. */
const diary = (image: string, version: string, smoke = 'hello') =>
  page(
    'diary',
    `storage: [{name: data, mount_path: /data, critical: true}]
backup: {strategy: volume, volumes: [{name: data, critical: true}], schedule_hint: daily}
smoke: [{http: {route: web, path: /, expect: 200, contains: ${smoke}}}]`,
    { image },
  )
    .replace('version: 1.0.0', `version: ${version}`)
    .replace('command: [httpd, -f, -p, "8080", -h, /www]', FILLED);

test('a species is verified as a whole, stamped, and shown with its stamp', { timeout: 600_000 }, async () => {
  await using folder = temporaryFolder('verified');
  await using registry = await startRegistry();
  const catalog = join(folder.path, 'catalog');
  const image = `${registry.host}/garden/diary`;
  const write = (...args: [version: string, smoke?: string]) =>
    writeCatalog(catalog, { species: { diary: diary(image, ...args) } });
  write('1.0.0');
  await using installation = await openInstallation({ catalog });
  await installation.letIn(`http://${registry.host}`);
  await registry.publish(installation.socketPath, 'garden/diary');
  installation.startDaemon();
  await installation.online();
  const stampFile = join(catalog, 'website/diary/verified.json');

  const first = await verify(installation, catalog);
  expect(first, JSON.stringify(first)).toMatchObject({ code: 0, passed: true, file: stampFile });
  const names = ['deploy', 'smoke', 'backup', 'verify', 'loss', 'restore', 'smoke', 'redeploy', 'smoke'];
  expect(first.steps.map(({ name }) => name)).toEqual(names);
  const { digest } = JSON.parse(readFileSync(stampFile, 'utf8'));
  expect(digest).toMatch(/^sha256:/);
  expect(await leftovers(installation)).toEqual([]);

  await installation.restartService();
  await installation.online();
  expect(await shown(installation)).toMatchObject({ version: '1.0.0', verified: { digest } });

  // The stamp belongs to the spec, so a changed template has none.
  write('1.1.0');
  await installation.restartService();
  await installation.online();
  expect(await shown(installation)).toMatchObject({ version: '1.1.0', verified: null });
  const second = await verify(installation, catalog);
  expect(second, JSON.stringify(second)).toMatchObject({ code: 0, passed: true });
  expect(second.steps.at(-2)).toMatchObject({ name: 'upgrade' });
  expect(await leftovers(installation)).toEqual([]);

  write('1.2.0', 'goodbye');
  const stale = await verify(installation, catalog);
  expect(stale.code).not.toBe(0);
  expect(stale.output).toContain('differs from the template of the service');
  await installation.restartService();
  await installation.online();
  const kept = readFileSync(stampFile, 'utf8');
  const failed = await verify(installation, catalog);
  expect(failed.code).not.toBe(0);
  // The version before passes its own smoke test; the upgrade leads to the broken one.
  expect(failed.steps.at(-1)).toMatchObject({ name: 'smoke', error: expect.stringContaining('smoke test failed') });
  expect(readFileSync(stampFile, 'utf8')).toBe(kept);
  expect(await leftovers(installation)).toEqual([]);
});

test('an image that came from no registry is not stamped', { timeout: 300_000 }, async () => {
  await using folder = temporaryFolder('verified');
  const catalog = writeCatalog(join(folder.path, 'catalog'));
  await using installation = await openInstallation();
  installation.startDaemon();
  await installation.online();
  const end = await verify(installation, catalog, 'stateless');
  expect(end.code).not.toBe(0);
  expect(end.output).toContain('did not come from a registry');
  expect(existsSync(join(catalog, 'website/stateless/verified.json'))).toBe(false);
});

interface Verdict {
  readonly code: number | null;
  readonly output: string;
  readonly passed?: boolean;
  readonly file?: string;
  readonly steps: readonly { readonly name: string; readonly error?: string }[];
}

async function verify({ service }: Installation, catalog: string, species = 'diary'): Promise<Verdict> {
  const argv = ['template', 'verify', species, '--catalog', catalog, '--json'];
  const child = startProcess([process.execPath, cliMain, ...argv], {
    env: { HORTUS_URL: service.base, HORTUS_KEY: service.key },
  });
  const { code } = await child.exited;
  const json = child.output.indexOf('{');
  const said = json < 0 ? {} : JSON.parse(child.output.slice(json, child.output.lastIndexOf('}') + 1));
  return { code, output: child.output, steps: [], ...said };
}

const shown = async ({ service }: Installation) =>
  (await service.client.call('templates.read', { params: { species: 'diary' } })).data;

async function leftovers({ engine, serverId }: Installation): Promise<string[]> {
  const labels = { 'hortus.server': serverId, 'hortus.instance': true } as const;
  return [...(await engine.containers({ labels })), ...(await engine.volumes({ labels }))].map(({ name }) => name);
}
