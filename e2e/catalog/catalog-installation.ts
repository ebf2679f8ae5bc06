import { cpSync, globSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Engine } from '@hortus/daemon/engine/engine';
import { makeStandIns } from '@hortus/testkit/debian-images';
import { startDocker } from '@hortus/testkit/docker';
import { temporaryFolder } from '@hortus/testkit/temporary-folder';
import { FIRST_FILL_MS } from '@hortus/testkit/test-cache';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Installation, openInstallation } from '../docker/installation.ts';
import { writeSubstitutes } from '../substitutes-file.ts';
import { catalogFolder, editions, imagesOf, readCatalog } from './paper.ts';

export interface CatalogInstallation extends AsyncDisposable {
  readonly installation: Installation;
  readonly engine: Engine;
  /** Catalog of the service. */
  readonly folder: string;
}

/** What operators allow for exporters, which read the figures of the server there. */
const POLICY = 'host_paths: [/proc, /sys]\n';

/**
 * Opens a service and a daemon with some species of the bundled catalog, whose images are replaced by local ones from Debian's
 * packages or npm. Uses its own engine, with which the images go away.
 */
export async function openCatalogInstallation(...species: string[]): Promise<CatalogInstallation> {
  await using opened = new AsyncDisposableStack();
  const docker = opened.use(await startDocker());
  const folder = opened.use(temporaryFolder('catalog'));
  const images = opened.use(temporaryFolder('images'));
  for (const slug of species) takeOver(slug, folder.path);
  const wanted = new Set<string>();
  for (const [slug, spec] of await readCatalog(folder.path)) {
    for (const { manifest } of await editions(spec, slug)) for (const image of imagesOf(manifest)) wanted.add(image);
  }
  const { substitutes, missing } = await makeStandIns(docker.socketPath, wanted);
  if (missing.length > 0) throw new Error(`Debian has nothing for ${missing.join(', ')}`);
  const installation = opened.use(await openInstallation({ catalog: folder.path, socketPath: docker.socketPath }));
  mkdirSync(installation.stateOf(), { recursive: true });
  writeFileSync(join(installation.stateOf(), 'policy.yaml'), POLICY);
  installation.startDaemon({ env: writeSubstitutes(images.path, substitutes) });
  await installation.online();
  const all = opened.move();
  return {
    installation,
    engine: installation.engine,
    folder: folder.path,
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

/** Copies one template, because a service with the whole catalog starts more slowly. */
function takeOver(slug: string, folder: string): void {
  const [place] = globSync(`*/${slug}`, { cwd: catalogFolder });
  if (place === undefined) throw new Error(`The catalog has no ${slug}`);
  cpSync(join(catalogFolder, place), join(folder, place), { recursive: true });
}

/** Ordinary runs have to end in minutes. */
export const inLongRuns = Boolean(process.env.HORTUS_TEST_LONG);

/** The installation that the tests of a file share; available while they run. */
export type Catalog = () => CatalogInstallation;

/**
 * Opens one installation for all tests of a file, because starting an engine and building images takes longer than most tests.
 * Each test deploys its own instances.
 */
export function shareCatalogInstallation(...species: string[]): Catalog {
  let opened: CatalogInstallation | undefined;
  beforeAll(async () => {
    opened = await openCatalogInstallation(...species);
  }, FIRST_FILL_MS);
  afterAll(async () => {
    await using all = opened;
    const { engine, installation } = all ?? expect.fail('not opened');
    const trials = { labels: { 'hortus.server': `${installation.serverId}-trial` } };
    expect(await engine.containers(trials)).toEqual([]);
  }, 180_000);
  return () => opened ?? expect.fail('The installation is opened before the tests');
}

/** Runs beside other tests of the file, except in long runs, where upgrades restart the service that they share. */
export const catalogTest = inLongRuns ? test : test.concurrent;

/** True if the test can start its own engine, which needs root; a shared engine must not keep the images. */
export const hasOwnEngine = process.getuid?.() === 0;
