/** Thrown if a repository cannot be read now; a later attempt may succeed. The message is for people and names no secret. */
export class Unreadable extends Error {
  override name = 'Unreadable';
}
