import type { Manifest } from '@hortus/contract/template/manifest';
import { parseImage } from '@hortus/template/notation/image-reference';
import { isMadeImage } from '@hortus/template/notation/made-images';
import type { Reading } from '../instances/read-actual.ts';
import { type Fetching, pullImage } from '../pull/fetch-image.ts';
import { localImage, substitution } from '../pull/local-image.ts';
import { madeImage, making } from '../pull/made-image.ts';

/** Current image id by image name. */
export type ImageIds = ReadonlyMap<string, string>;

/**
 * Pulls every image of a manifest again, whatever its tag; skips digests, whose content cannot change, and local
 * substitutes. Images that the server makes itself are made again. Throws if a pull fails, because the caller asked for a renewal.
 */
export async function renewImages(manifest: Manifest, fetching: Omit<Fetching, 'renew'>): Promise<ImageIds> {
  const { engine, say } = fetching;
  const names = new Set(manifest.components.map(({ image }) => image));
  const ids = new Map<string, string>();
  for (const image of names) {
    const substitute = engine.substituteFor(image);
    if (substitute !== undefined) {
      ids.set(image, (await localImage(engine, image, substitute)).id);
      say?.('info', substitution(image, substitute));
      continue;
    }
    if (isMadeImage(image)) {
      const made = await madeImage(engine, image, true);
      ids.set(image, made.id);
      say?.('info', making(image, made));
      continue;
    }
    if (parseImage(image).digest !== undefined) continue;
    const before = await engine.image(image);
    await pullImage(image, fetching);
    const now = await engine.image(image);
    if (now !== undefined) ids.set(image, now.id);
    say?.('info', now?.id === before?.id ? `${image} has not changed` : `${image} was updated`);
  }
  return ids;
}

/** Marks containers of outdated images as changed, so that the plan replaces them. */
export function withMovedImages({ actual, facts }: Reading, ids: ImageIds): Reading {
  const isMoved = (id: string) => {
    const { image = '', imageId } = facts.get(id) ?? {};
    return ids.has(image) && ids.get(image) !== imageId;
  };
  const containers = actual.containers.map((container) =>
    isMoved(container.id) ? { ...container, config: 'of a former image' } : container,
  );
  return { actual: { ...actual, containers }, facts };
}
