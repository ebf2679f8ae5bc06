import type { Manifest } from '@hortus/contract/template/manifest';
import { imageText, parseImage } from '@hortus/template/notation/image-reference';
import type { Engine } from '../engine/engine.ts';
import { containersOf } from '../instances/instance-containers.ts';
import { label } from '../plan/labels.ts';
import { digestOf } from './digests.ts';

/**
 * Removes the pins of components that already run the same digest under the bare tag. A rollback pins all recorded
 * images, and an unchanged database must not be recreated because its image is written differently.
 */
export async function settledPins<Input extends Manifest>(engine: Engine, manifest: Input): Promise<Input> {
  const isPinned = manifest.components.some(({ image }) => parseImage(image).digest !== undefined);
  if (!isPinned) return manifest;
  const containers = await containersOf(engine, manifest.instance.uid);
  const components = await Promise.all(
    manifest.components.map(async (component) => {
      const { digest, ...tagged } = parseImage(component.image);
      if (digest === undefined || tagged.tag === undefined) return component;
      const image = imageText(tagged);
      const own = containers.filter(({ labels }) => labels[label.component] === component.name);
      const digests = await Promise.all(
        own.map(({ labels, image: of, imageId, substitute }) => {
          const isBare = substitute === undefined && (labels[label.pinnedImage] ?? of) === image;
          return isBare ? digestOf(engine, image, imageId).catch(() => null) : null;
        }),
      );
      const isSettled = digests.length > 0 && digests.every((text) => text === digest);
      return isSettled ? { ...component, image } : component;
    }),
  );
  return { ...manifest, components };
}
