import { type Path, pathText } from '../../source/finding.ts';
import type { Parsed, Position } from '../../source/parse.ts';

/** A value that was inferred from a Compose file. */
export interface Inferred extends Position {
  path: string;
  message: string;
}

/** A part of the Compose file that the template does not contain. */
export interface Dropped extends Inferred {
  /** Whether it was omitted because of the access to the server that it would give. */
  refused: boolean;
}

/** Something that the file does not tell and that the template needs. */
export interface Question extends Position {
  /** The service whose port people open. */
  service: string;
  message: string;
}

export class Notes {
  readonly inferred: Inferred[] = [];
  readonly dropped: Dropped[] = [];
  readonly questions: Question[] = [];
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

  /** Makes the import invalid: what follows would run, but not as the file means it. */
  fail(path: Path, message: string): void {
    const finding = { severity: 'error', code: 'compose', ...this.#placed(path), message } as const;
    const isKnown = this.#parsed.findings.some((item) => item.path === finding.path && item.message === message);
    if (!isKnown) this.#parsed.findings.push(finding);
  }

  askPort(service: string): void {
    const message = `nothing in the file says how to reach it; on which port does ${service} answer HTTP?`;
    this.questions.push({ service, message, ...this.#parsed.positionOf(['services', service], true) });
  }

  #placed(path: Path): Position & { path: string } {
    return { path: pathText(path), ...this.#parsed.positionOf(path) };
  }

  #add<N extends Inferred>(list: N[], note: N): void {
    if (!list.some(({ path, message }) => path === note.path && message === note.message)) list.push(note);
  }
}
