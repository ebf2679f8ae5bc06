/** Other writers wait for a batch, and on SQLite everything does. */
const WANTED_MS = 5;
const FIRST_ROWS = 50;

/** Number of rows to remove at a time: follows from the time that the last ones took, which depends on the table and the disk. */
export class BatchSize {
  readonly #max: number;
  rows: number;

  constructor(max: number) {
    this.#max = max;
    this.rows = Math.min(max, FIRST_ROWS);
  }

  /** Grows at most by half, because later rows may be more expensive; shrinks at once. */
  adapt(tookMs: number): void {
    const fitting = (this.rows * WANTED_MS) / Math.max(tookMs, 0.1);
    this.rows = Math.max(1, Math.min(this.#max, Math.floor(Math.min(fitting, this.rows * 1.5 + 1))));
  }
}
