import { registryOf } from './image-reference.ts';

/** Reserved registry of images that daemons make themselves: RFC 6761 keeps `.invalid` free, so no registry can have the name. */
const MADE_REGISTRY = 'hortus.invalid';

/** Serves one page, so that a first deployment needs no registry. Another page or another command needs another tag. */
export const HELLO_IMAGE = `${MADE_REGISTRY}/hello:1`;

/** The only species whose template may name such an image: it is a proof, not a feature of the format. */
export const HELLO_SPECIES = 'hello';

/** Tells whether a daemon makes the image, so that it is never pulled and has no digest that others could know. */
export const isMadeImage = (image: string): boolean => registryOf(image) === MADE_REGISTRY;
