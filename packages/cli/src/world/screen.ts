/** The whole terminal, redrawn in place. The real one is node-screen.ts. */
export interface Screen {
  readonly width: number;
  readonly height: number;
  /** Replaces everything with these lines; longer and further ones must not be given. */
  draw(lines: readonly string[]): void;
  /** Restores what the terminal showed before. Idempotent. */
  close(): void;
}

export interface ScreenEvents {
  /** A key with a printable character. */
  key(character: string): void;
  resized(): void;
}
