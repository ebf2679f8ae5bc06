import type { StreamedLine } from '@hortus/contract/channel/streams';
import { frame, type PreparedEvent } from '../../http/live-stream.ts';
import { lineRecord } from './line-record.ts';
import type { SharedRoom } from './shared-room.ts';

export const lineEvent = (line: StreamedLine) => ({
  id: String(line.position),
  event: 'line',
  data: lineRecord(line),
});

export const leftOutEvent = (lines: number) => ({
  event: 'left_out',
  data: { lines, text: `${lines} ${lines === 1 ? 'line' : 'lines'} left out` },
});

/** Lines that arrived together. Their bytes are made once for all who watch without a filter. */
export class Batch {
  readonly lines: readonly StreamedLine[];
  readonly #frames = new Map<StreamedLine, string>();
  #share: number | undefined;
  #whole: { share: number; event: PreparedEvent } | undefined;

  constructor(lines: readonly StreamedLine[]) {
    this.lines = lines;
  }

  /** Returns the bytes for each watcher: the same for all of them, although each one's bytes leave less room. */
  shareOf(room: SharedRoom, watchers: number): number {
    this.#share ??= room.share(watchers);
    return this.#share;
  }

  /** All lines as one event, or as many as fit into the share and a note about the rest. */
  whole(share: number): PreparedEvent {
    if (this.#whole?.share !== share) this.#whole = { share, event: this.some(this.lines, share) };
    return this.#whole.event;
  }

  /** The same for a part of the lines. */
  some(lines: readonly StreamedLine[], share: number): PreparedEvent {
    let text = '';
    let taken = 0;
    for (const line of lines) {
      const next = this.#frame(line);
      if (taken > 0 && text.length + next.length > share) break;
      text += next;
      taken++;
    }
    if (taken < lines.length) text += frame(leftOutEvent(lines.length - taken));
    return { bytes: Buffer.from(text) };
  }

  #frame(line: StreamedLine): string {
    let text = this.#frames.get(line);
    if (text === undefined) {
      text = frame(lineEvent(line));
      this.#frames.set(line, text);
    }
    return text;
  }
}
