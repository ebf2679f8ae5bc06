import { type Path, pathText } from '../../source/finding.ts';
import type { Position } from '../../source/parse.ts';

const START: Position = { line: 1, column: 1 };

/** Positions of values in a text. */
export class Places {
  readonly #known = new Map<string, { key: Position | undefined; value: Position | undefined }>();

  set(path: Path, key: Position | undefined, value: Position | undefined): void {
    const text = pathText(path);
    // An alias is visited before its anchor; readers look for the place of the alias.
    if (!this.#known.has(text)) this.#known.set(text, { key, value });
  }

  /** Returns the position of a path, or of its nearest parent in the text. */
  find(path: Path, atKey = false): Position {
    for (let length = path.length; length >= 0; length--) {
      const place = this.#known.get(pathText(path.slice(0, length)));
      if (place) return (atKey || length < path.length ? place.key : undefined) ?? place.value ?? place.key ?? START;
    }
    return START;
  }
}
