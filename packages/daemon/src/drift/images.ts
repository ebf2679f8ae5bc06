import type { Engine, ImageFacts } from '../engine/engine.ts';

/** Returns the images that the engine still has, by id. */
export async function imagesOf(
  engine: Pick<Engine, 'image'>,
  ids: readonly string[],
): Promise<ReadonlyMap<string, ImageFacts>> {
  const found = await Promise.all([...new Set(ids)].map(async (id) => [id, await engine.image(id)] as const));
  return new Map(found.flatMap(([id, image]) => (image ? [[id, image]] : [])));
}
