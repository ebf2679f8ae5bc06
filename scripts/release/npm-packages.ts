import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stageCli } from './cli-package.ts';
import { stageClient } from './client-package.ts';
import { pack } from './staged-package.ts';

/** Builds the npm packages into a folder and returns their paths. */
export async function buildNpmPackages(destination: string): Promise<{ client: string; cli: string }> {
  await mkdir(destination, { recursive: true });
  return { client: await packed(stageClient, destination), cli: await packed(stageCli, destination) };
}

async function packed(stage: (folder: string) => Promise<void>, destination: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'hortus-package-'));
  try {
    await stage(folder);
    return pack(folder, destination);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
