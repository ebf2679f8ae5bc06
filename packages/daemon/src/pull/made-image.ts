import type { Engine } from '../engine/engine.ts';
import { type MadeImage, makeImage, NotMakeable } from '../made-images/make-image.ts';
import { ImageProblem } from './image-problem.ts';

/** Makes an image that no registry has, in place of a pull. */
export async function madeImage(engine: Engine, image: string, again: boolean): Promise<MadeImage> {
  try {
    return await makeImage(engine, image, { again });
  } catch (error) {
    throw error instanceof NotMakeable ? new ImageProblem(error.message, { cause: error }) : error;
  }
}

export const making = (image: string, { from }: MadeImage): string =>
  from === undefined ? `Image ${image} is already present` : `Made ${image} from ${from} of this server`;
