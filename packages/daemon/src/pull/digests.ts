import type { DeployedImage } from '@hortus/contract/resources/deployment-records';
import type { Manifest } from '@hortus/contract/template/manifest';
import { imageText, parseImage, repositoryOf } from '@hortus/template/notation/image-reference';
import { isMadeImage } from '@hortus/template/notation/made-images';
import type { Engine } from '../engine/engine.ts';

/** Returns the registry digest of a local image; null for images that exist only locally. */
export async function digestOf(engine: Engine, image: string, idOrName = image): Promise<string | null> {
  // Some engines name a digest also for images that were loaded; no registry could serve it.
  if (isMadeImage(image)) return null;
  const named = parseImage(image).digest;
  if (named !== undefined) return named;
  const repository = repositoryOf(image);
  const found = (await engine.imageDigests(idOrName)).find((digest) => repositoryOf(digest) === repository);
  return (found && parseImage(found).digest) ?? null;
}

/** Image of a component; `id` is the image that its container was created from, if known. */
export interface RunImage {
  component: string;
  image: string;
  id: string | undefined;
  /** Local image that runs in its place. */
  substitute: string | undefined;
}

/** Returns the recorded image of each component. */
export async function digestsOf(engine: Engine, parts: readonly RunImage[]): Promise<DeployedImage[]> {
  const byComponent = new Map(parts.map((part) => [part.component, part]));
  return await Promise.all(
    [...byComponent.values()].map(async ({ component, image, id, substitute }) => {
      // The digest of the manifest did not run, and that of a local image means nothing to a registry.
      if (substitute !== undefined) return { component, image, digest: null, substitute };
      // A missing digest does not fail a deployment; the tag is used instead.
      return { component, image, digest: await digestOf(engine, image, id).catch(() => null) };
    }),
  );
}

/** Pins the images of a manifest to recorded digests, whatever their tags point to now. */
export function pinned<Input extends Manifest>(manifest: Input, images: readonly DeployedImage[]): Input {
  const components = manifest.components.map((component) => {
    const digest = images.find((image) => image.component === component.name)?.digest;
    const image = parseImage(component.image);
    if (!digest || image.digest !== undefined) return component;
    return { ...component, image: imageText({ ...image, digest }) };
  });
  return { ...manifest, components };
}

/** Compares two image references. A missing digest matches any: one of them may have been pinned since. */
export function isSameImage(a: string, b: string): boolean {
  const [item, other] = [parseImage(a), parseImage(b)];
  const isPinnedOtherwise = item.digest !== undefined && other.digest !== undefined && item.digest !== other.digest;
  return item.repository === other.repository && item.tag === other.tag && !isPinnedOtherwise;
}
