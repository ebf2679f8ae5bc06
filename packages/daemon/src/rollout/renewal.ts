import type { Manifest } from '@hortus/contract/template/manifest';
import { parseImage } from '@hortus/template/image-reference';
import { type Fetching, pullImage } from '../pull/fetch-image.ts';
import type { Reading } from './read-actual.ts';

/** What the names of images stand for now: the id of each. */
export type ImageIds = ReadonlyMap<string, string>;

/**
 * Asks the registries for every image of a manifest again, whatever its tag looks like; bytes that a digest names cannot have
 * changed. Whoever wishes for this wants to know if it does not work, so that is a failure.
 */
export async function renewImages(manifest: Manifest, fetching: Omit<Fetching, 'renew'>): Promise<ImageIds> {
  const { engine, say } = fetching;
  const names = new Set(manifest.components.map(({ image }) => image));
  const ids = new Map<string, string>();
  for (const image of names) {
    if (parseImage(image).digest !== undefined) continue;
    const before = await engine.image(image);
    await pullImage(image, fetching);
    const now = await engine.image(image);
    if (now !== undefined) ids.set(image, now.id);
    say?.('info', now?.id === before?.id ? `${image} has not changed` : `${image} is new`);
  }
  return ids;
}

/** The same, but containers made of what a name stood for before count as made for something else. */
export function withMovedImages({ actual, facts }: Reading, ids: ImageIds): Reading {
  const isMoved = (id: string) => {
    const { image = '', imageId } = facts.get(id) ?? {};
    return ids.has(image) && ids.get(image) !== imageId;
  };
  const containers = actual.containers.map((one) => (isMoved(one.id) ? { ...one, config: 'of a former image' } : one));
  return { actual: { ...actual, containers }, facts };
}
