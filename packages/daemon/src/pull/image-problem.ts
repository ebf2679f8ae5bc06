/** The image is not available; the message says why and what would help. */
export class ImageProblem extends Error {}
