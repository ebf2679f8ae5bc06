import type { DeployedImage } from '@hortus/contract/resources/deployments';
import type { Manifest } from '@hortus/contract/template/manifest';
import { imageText, parseImage, repositoryOf } from '@hortus/template/image-reference';
import type { Engine } from '../engine/engine.ts';

/** By which digest its registry knows an image that is here; null of one that was never in a registry. */
export async function digestOf(engine: Engine, image: string, idOrName = image): Promise<string | null> {
  const named = parseImage(image).digest;
  if (named !== undefined) return named;
  const repository = repositoryOf(image);
  const found = (await engine.imageDigests(idOrName)).find((one) => repositoryOf(one) === repository);
  return (found && parseImage(found).digest) ?? null;
}

/** What ran, component by component. `id` is the image that a container was really made of, where one is known. */
export async function digestsOf(
  engine: Engine,
  parts: readonly { component: string; image: string; id: string | undefined }[],
): Promise<DeployedImage[]> {
  const byComponent = new Map(parts.map((part) => [part.component, part]));
  return await Promise.all(
    [...byComponent.values()].map(async ({ component, image, id }) => ({
      component,
      image,
      // Not worth a failed deployment: without a digest the tag has to do.
      digest: await digestOf(engine, image, id).catch(() => null),
    })),
  );
}

/** The manifest with the bytes that it once ran with, whatever its tags mean by now. */
export function pinned<Given extends Manifest>(manifest: Given, images: readonly DeployedImage[]): Given {
  const components = manifest.components.map((component) => {
    const digest = images.find((one) => one.component === component.name)?.digest;
    const image = parseImage(component.image);
    if (!digest || image.digest !== undefined) return component;
    return { ...component, image: imageText({ ...image, digest }) };
  });
  return { ...manifest, components };
}

/** Whether two references mean the same, as far as they say: one may have been pinned by us since. */
export function isSameImage(a: string, b: string): boolean {
  const [one, other] = [parseImage(a), parseImage(b)];
  const isPinnedOtherwise = one.digest !== undefined && other.digest !== undefined && one.digest !== other.digest;
  return one.repository === other.repository && one.tag === other.tag && !isPinnedOtherwise;
}
