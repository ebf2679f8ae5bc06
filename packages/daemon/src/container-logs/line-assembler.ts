import { withoutTrailing } from '@hortus/contract/runtime/trimmed';
import type { LogPiece } from '../engine/engine.ts';

/** A whole line, before masking. */
export interface RawLine {
  at: string;
  stream: LogPiece['stream'];
  text: string;
  /** Whether the end of the line was dropped. */
  cut: boolean;
}

/** Bytes kept of a line before masking: enough beyond the stored length for a secret that crosses it. */
export const MAX_BYTES = 20 * 1024;

interface Open {
  at: string;
  parts: Buffer[];
  bytes: number;
  cut: boolean;
}

/** Joins the parts of long lines, for each stream; both may be in the middle of one. */
export class LineAssembler {
  readonly #open: Partial<Record<LogPiece['stream'], Open>> = {};

  add(pieces: readonly LogPiece[]): RawLine[] {
    return pieces.flatMap((piece) => this.#take(piece));
  }

  /** Returns the lines without an end, after the container has stopped. */
  rest(): RawLine[] {
    return (['stdout', 'stderr'] as const).flatMap((stream) => this.#finish(stream));
  }

  #take({ stream, at, content, ends }: LogPiece): RawLine[] {
    this.#open[stream] ??= { at, parts: [], bytes: 0, cut: false };
    const line = this.#open[stream];
    const kept = content.subarray(0, Math.max(0, MAX_BYTES - line.bytes));
    // Copied: a short line would otherwise keep the whole chunk of the socket in memory.
    if (kept.length > 0) line.parts.push(ends ? kept : Buffer.from(kept));
    line.bytes += kept.length;
    line.cut ||= kept.length < content.length;
    return ends ? this.#finish(stream) : [];
  }

  #finish(stream: LogPiece['stream']): RawLine[] {
    const line = this.#open[stream];
    if (line === undefined) return [];
    delete this.#open[stream];
    const [only] = line.parts;
    const bytes = line.parts.length === 1 && only ? only : Buffer.concat(line.parts);
    return [{ at: line.at, stream, text: withoutTrailing(bytes.toString('utf8'), '\r'), cut: line.cut }];
  }
}
