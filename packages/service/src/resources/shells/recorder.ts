import { StringDecoder } from 'node:string_decoder';
import { shellOutput } from '@hortus/contract/protocol/shell-window';
import type { RecordedOutput } from '@hortus/contract/resources/shells';
import type { Guard } from '../../process/guard.ts';

export interface RecorderDeps {
  /** Resolves with false if the account has too many recorded bytes. */
  readonly store: (part: { number: number; events: string; bytes: number; cut: boolean }) => Promise<boolean>;
  readonly hasTerminal: boolean;
  /** Milliseconds. */
  readonly clock: () => number;
  readonly guard: Guard;
  /** Called if output could not be stored by the timer. */
  readonly failed: () => void;
}

/** Bytes of output that one recording keeps, and one of an account that has too many. */
const MAX_BYTES = 8 * 1024 * 1024;
const SHORT_BYTES = 64 * 1024;
/** Bytes of one stored part, and the time after which a smaller one is stored. */
const PART_BYTES = 64 * 1024;
const STORE_AFTER_MS = 2_000;
/** Output that follows within this time is one event. */
const TOGETHER_SECONDS = 0.02;

/** Records the output of a session as events of asciicast v2, in parts. */
export class Recorder {
  readonly #deps: RecorderDeps;
  readonly #startedAt: number;
  /** One for each stream: characters may be split between messages. */
  readonly #decoders = new Map<number, StringDecoder>();
  #events: RecordedOutput[] = [];
  #waiting = 0;
  #total = 0;
  #parts = 0;
  #max = MAX_BYTES;
  #isCut = false;
  #writing: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;

  constructor(deps: RecorderDeps) {
    this.#deps = deps;
    this.#startedAt = deps.clock();
  }

  /** Takes one binary message of the daemon. Resolves when there is room for the next. */
  async output(data: Buffer): Promise<void> {
    const { hasTerminal, guard, failed } = this.#deps;
    const stream = hasTerminal ? shellOutput.stdout : (data[0] ?? 0);
    const bytes = hasTerminal ? data : data.subarray(1);
    if (this.#total >= this.#max) {
      if (this.#isCut) return;
      this.#isCut = true;
      return await this.#store();
    }
    this.#total += bytes.length;
    this.#waiting += bytes.length;
    this.#add(this.#decoder(stream).write(bytes));
    if (this.#waiting >= PART_BYTES) return await this.#store();
    this.#timer ??= setTimeout(
      guard(() => this.#store().catch(failed)),
      STORE_AFTER_MS,
    );
  }

  /** Stores the rest. */
  async finish(): Promise<void> {
    for (const decoder of this.#decoders.values()) this.#add(decoder.end());
    await this.#store();
  }

  #decoder(stream: number): StringDecoder {
    let decoder = this.#decoders.get(stream);
    if (!decoder) {
      decoder = new StringDecoder('utf8');
      this.#decoders.set(stream, decoder);
    }
    return decoder;
  }

  #add(text: string): void {
    if (text === '') return;
    const seconds = Math.max(0, this.#deps.clock() - this.#startedAt) / 1_000;
    const last = this.#events.at(-1);
    if (last && seconds - last[0] < TOGETHER_SECONDS) last[2] += text;
    else this.#events.push([seconds, 'o', text]);
  }

  #store(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#events.length === 0 && !this.#isCut) return this.#writing;
    const part = {
      number: ++this.#parts,
      events: JSON.stringify(this.#events),
      bytes: this.#waiting,
      cut: this.#isCut,
    };
    this.#events = [];
    this.#waiting = 0;
    this.#writing = this.#writing.then(async () => {
      if (!(await this.#deps.store(part))) this.#max = SHORT_BYTES;
    });
    return this.#writing;
  }
}
