import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DeployedImage } from '@hortus/contract/resources/deployment-records';
import { canonical, specHash } from '@hortus/template/canonical/canonical';
import type { Canonical } from '@hortus/template/canonical/canonical-form';
import { primaryComponent } from '@hortus/template/canonical/primary';
import { VERIFIED_FILE, type VerifiedStamp } from '@hortus/template/catalog/verified';
import { validate } from '@hortus/template/validate';
import { TEMPLATE_FILE, templateFile } from '../arguments/template-files.ts';
import { Failure } from '../failure.ts';

/** Returns the folder of the template in a catalog, after checking that it holds the very spec that is verified. */
export async function folderToStamp(catalog: string, spec: Canonical): Promise<string> {
  const folder = join(catalog, spec.taxonomy.family, spec.slug);
  const { text, path } = await templateFile(join(folder, TEMPLATE_FILE));
  const { template } = validate(text);
  if (template === undefined || specHash(canonical(template)) !== specHash(spec))
    throw new Failure('refused', `${path} differs from the template of the service, so its run cannot be stamped.`, {
      hint: 'Start the service with this catalog, and raise the version of the template if it has changed.',
    });
  return folder;
}

/**
 * Returns the digest of the image that the main component ran. A run without one, or with a local image in the place of
 * a published one, proves nothing about what others will pull.
 */
export function digestOf(spec: Canonical, images: readonly DeployedImage[]): string | undefined {
  if (images.some(({ substitute }) => substitute !== undefined)) return undefined;
  const main = primaryComponent(spec)?.[0];
  return images.find(({ component }) => component === main)?.digest ?? undefined;
}

export async function writeStamp(folder: string, stamp: VerifiedStamp): Promise<string> {
  const path = join(folder, VERIFIED_FILE);
  await writeFile(path, `${JSON.stringify(stamp, null, 2)}\n`);
  return path;
}
