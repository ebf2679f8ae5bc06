import { imageText, parseImage } from '@hortus/template/notation/image-reference';
import type { Engine } from '../engine/engine.ts';
import { digestOf } from '../pull/digests.ts';

/** Names the digest, so that every node runs the same content whenever it pulls. Local images have none. */
export async function pinnedImage(engine: Engine, image: string): Promise<string> {
  const substitute = engine.substituteFor(image);
  if (substitute !== undefined) return substitute;
  const digest = await digestOf(engine, image).catch(() => null);
  return digest === null ? image : imageText({ ...parseImage(image), digest });
}
