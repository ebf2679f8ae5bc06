import { choice } from '../records/fields.ts';

/** Levels of container lines, least severe first. */
export const containerLogLevels = ['debug', 'info', 'warn', 'error'] as const;
export type ContainerLogLevel = (typeof containerLogLevels)[number];

export const ContainerLogLevel = choice(containerLogLevels);

export interface LogFilter {
  /** Every word must occur, in any case. */
  readonly q?: string | undefined;
  /** Only lines of this level or a more severe one; lines without a known level do not match. */
  readonly level?: ContainerLogLevel | undefined;
}

/** Creates the test for lines; service and daemon filter alike. */
export function logMatcher({ q, level }: LogFilter): (line: { text: string; level: string | null }) => boolean {
  const words = (q ?? '').toLowerCase().split(/\s+/).filter(Boolean);
  const lowest = level === undefined ? -1 : containerLogLevels.indexOf(level);
  return ({ text, level: own }) => {
    if (lowest >= 0 && (own === null || (containerLogLevels as readonly string[]).indexOf(own) < lowest)) return false;
    if (words.length === 0) return true;
    const said = text.toLowerCase();
    return words.every((word) => said.includes(word));
  };
}
