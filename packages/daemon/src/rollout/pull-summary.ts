import type { PullProgress } from '../engine/engine.ts';

/** So often at most a person is told how far a pull is; the engine tells it many times a second for each layer. */
const EVERY_MS = 2_000;
const MEGABYTE = 1_000_000;

interface Layer {
  readonly got: number;
  readonly total: number;
}

/** Sums up what the engine says of the layers of an image, one line now and then. */
export class PullSummary {
  readonly #image: string;
  readonly #say: (line: string) => void;
  readonly #clock: () => number;
  readonly #layers = new Map<string, Layer>();
  #saidAt: number;

  constructor(image: string, say: (line: string) => void, clock: () => number = () => performance.now()) {
    this.#image = image;
    this.#say = say;
    this.#clock = clock;
    this.#saidAt = clock();
  }

  /** Only what is downloaded counts; unpacking has the same size again and takes less time. */
  heard({ status, layer, current = 0, total = 0 }: PullProgress): void {
    if (layer === undefined) return;
    const known = this.#layers.get(layer);
    if (status === 'Downloading' && total > 0) this.#layers.set(layer, { got: current, total });
    else if (known && status !== 'Downloading') this.#layers.set(layer, { got: known.total, total: known.total });
    if (this.#clock() - this.#saidAt < EVERY_MS || this.#layers.size === 0) return;
    this.#saidAt = this.#clock();
    this.#say(`Pulling ${this.#image}: ${this.#progress()}`);
  }

  #progress(): string {
    const layers = [...this.#layers.values()];
    const sum = (of: (layer: Layer) => number) => layers.reduce((all, layer) => all + of(layer), 0) / MEGABYTE;
    const megabytes = `${sum(({ got }) => got).toFixed(0)} of ${sum(({ total }) => total).toFixed(0)} MB`;
    return `${megabytes} of the layers begun (${layers.filter(({ got, total }) => got === total).length} of ${layers.length} are here)`;
  }
}
