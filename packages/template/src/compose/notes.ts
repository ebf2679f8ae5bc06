import { type Path, pathText } from '../finding.ts';
import type { Parsed, Position } from '../parse.ts';

/** What was concluded from a Compose file without being said there. */
export interface Inferred extends Position {
  path: string;
  message: string;
}

/** What the template does not say though the Compose file did. */
export interface Dropped extends Inferred {
  /** Left out because of the reach into the server it would give, not because it cannot be said. */
  refused: boolean;
}

export class Notes {
  readonly inferred: Inferred[] = [];
  readonly dropped: Dropped[] = [];
  readonly #parsed: Parsed;

  constructor(parsed: Parsed) {
    this.#parsed = parsed;
  }

  infer(path: Path, message: string): void {
    this.#add(this.inferred, { ...this.#placed(path), message });
  }

  drop(path: Path, message: string): void {
    this.#add(this.dropped, { ...this.#placed(path), message, refused: false });
  }

  refuse(path: Path, message: string): void {
    this.#add(this.dropped, { ...this.#placed(path), message, refused: true });
  }

  #placed(path: Path): Position & { path: string } {
    return { path: pathText(path), ...this.#parsed.positionOf(path) };
  }

  #add<N extends Inferred>(list: N[], note: N): void {
    if (!list.some(({ path, message }) => path === note.path && message === note.message)) list.push(note);
  }
}
