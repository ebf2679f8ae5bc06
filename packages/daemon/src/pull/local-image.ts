import type { Engine, ImageFacts } from '../engine/engine.ts';
import { ImageProblem } from './image-problem.ts';

/** Returns the local image in place of another. It may exist nowhere else, so a missing one is not pulled. */
export async function localImage(
  engine: Pick<Engine, 'image'>,
  image: string,
  substitute: string,
): Promise<ImageFacts> {
  const found = await engine.image(substitute);
  if (found !== undefined) return found;
  throw new ImageProblem(
    `The local image ${substitute}, which this server uses instead of ${image}, does not exist. Load it on the server, or remove it from the daemon's image substitutes`,
  );
}

export const substitution = (image: string, substitute: string): string =>
  `Using the local image ${substitute} instead of ${image}, as the image substitutes of this server say`;
