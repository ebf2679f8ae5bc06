import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '@hortus/testkit/until';
import { expect } from 'vitest';
import { type CatalogInstallation, inLongRuns } from './catalog-installation.ts';
import type { DeployedSpecies } from './deployed-species.ts';

/**
 * Upgrades a species to a new release of the catalog: a higher version whose application has another tag, of the same software.
 * The service restarts with it, as after an update of Hortus. Only in long runs.
 */
export async function upgrades(catalogInstallation: CatalogInstallation, deployed: DeployedSpecies): Promise<void> {
  if (!inLongRuns) return;
  const { installation, folder } = catalogInstallation;
  const [place = ''] = globSync(`*/${deployed.manifest.species}/template.yaml`, { cwd: folder });
  const file = join(folder, place);
  writeFileSync(file, nextRelease(readFileSync(file, 'utf8')));
  await installation.restartService();
  await installation.online();
  const { client } = installation.service;
  const query = { instance_id: deployed.instanceId, status: 'available' as const };
  const find = async () => (await client.call('upgrades.list', { query })).data[0]?.id;
  const id = await until(find, { describe: `the upgrade of ${deployed.uid}`, within: 60_000 });
  await client.call('upgrades.apply', { params: { id }, body: {} });
  const end = await until(
    async () => {
      const { data } = await client.call('upgrades.read', { params: { id } });
      return data.status === 'applying' ? undefined : data;
    },
    { describe: `the end of the upgrade of ${deployed.uid}`, within: 300_000 },
  );
  expect(end, `${end.error}`).toMatchObject({ status: 'applied' });
}

/** Increases the version and extends the first tag, which is that of the application. */
function nextRelease(source: string): string {
  const [, major, minor] = /^version: (\d+)\.(\d+)\.\d+$/m.exec(source) ?? expect.fail('no version');
  return source
    .replace(/^version: .*$/m, `version: ${major}.${Number(minor) + 1}.0`)
    .replace(/\btag: "?([\w.-]+)"?(,?\s+digest: "?sha256:[0-9a-f]+"?)?/, 'tag: $1-next');
}
