import type { PullProgress } from '../engine/engine.ts';

/** Minimum time between two lines: enough to show progress without flooding the log. */
const EVERY_MS = 2_000;
const STEP_PERCENT = 10;

/** Condenses an engine's download messages into a few lines. */
export class PullReport {
  readonly #image: string;
  readonly #now: () => number;
  readonly #layers = new Map<string, { current: number; total: number }>();
  #saidAt: number;
  #said = 0;

  constructor(image: string, now: () => number = Date.now) {
    this.#image = image;
    this.#now = now;
    this.#saidAt = now();
  }

  /** Returns a line after another ten percent and at least two seconds. */
  add({ status, layer, current, total }: PullProgress): string | undefined {
    // Layers are also unpacked and verified, with unrelated numbers.
    const known = layer === undefined ? undefined : this.#layers.get(layer);
    if (known && status !== 'Downloading') known.current = known.total;
    if (layer === undefined || status !== 'Downloading' || !current || !total) return undefined;
    this.#layers.set(layer, { current, total });
    const sizes = [...this.#layers.values()];
    const done = sizes.reduce((sum, size) => sum + size.current, 0);
    const all = sizes.reduce((sum, size) => sum + size.total, 0);
    const percent = Math.floor((100 * done) / all / STEP_PERCENT) * STEP_PERCENT;
    const now = this.#now();
    if (percent <= this.#said || now - this.#saidAt < EVERY_MS) return undefined;
    this.#said = percent;
    this.#saidAt = now;
    return `Pulling ${this.#image}: ${percent} % (${megabytes(done)} of ${megabytes(all)} MB known so far)`;
  }
}

const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(1);
