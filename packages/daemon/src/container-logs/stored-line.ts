import type { ContainerLogLevel } from '@hortus/contract/protocol/log-filter';

/** A line of a container, masked and bounded. */
export interface CollectedLine {
  /** Seconds since 1970 with nine decimals: compares as text, and is the form of the engine's `since`. */
  at: string;
  stream: 'stdout' | 'stderr';
  replica: number;
  container: string;
  level: ContainerLogLevel | null;
  text: string;
  /** Whether the rest of a long line was dropped. */
  cut: boolean;
}

export interface StoredLine extends CollectedLine {
  /** Grows with every line of the instance. */
  position: number;
  component: string;
}

/** Writes a line as a JSON array: a third shorter than an object, and a torn one does not parse. */
export function encodeLine(position: number, { at, stream, replica, container, level, text, cut }: CollectedLine) {
  return `${JSON.stringify([position, at, stream === 'stderr' ? 2 : 1, replica, container, level, text, cut ? 1 : 0])}\n`;
}

/** Parses a stored line; undefined if it is damaged. */
export function decodeLine(json: string, component: string): StoredLine | undefined {
  try {
    const [position, at, stream, replica, container, level, text, cut] = JSON.parse(json);
    if (!Number.isSafeInteger(position) || typeof at !== 'string' || typeof text !== 'string') return undefined;
    return {
      position,
      at,
      stream: stream === 2 ? 'stderr' : 'stdout',
      replica,
      container,
      level,
      text,
      cut: cut === 1,
      component,
    };
  } catch {
    return undefined;
  }
}

/** Reads only the position of a stored line, which is cheaper than parsing it; NaN for other lines. */
export const positionOf = (json: string): number =>
  json.startsWith('[') ? Number.parseInt(json.slice(1, 20), 10) : Number.NaN;

/** Writes milliseconds since 1970 as a time of a line; padded, so that it compares as text. */
export const secondsText = (ms: number): string => `${(Math.max(0, ms) / 1_000).toFixed(3).padStart(14, '0')}000000`;
